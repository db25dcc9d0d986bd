// Where the numbers come from, so that somebody else can get them again: experiment, host, servers as they really ran,
// data as they really lay, and the ceiling of the load on this machine.

import { badge } from './badge';
import { data, report } from './data';
import { h } from './dom';
import { bytes, clock, digits, duration, micros, show } from './format';
import type { DatasetRecord, Instance } from './types';
import { choiceOf, wayOf } from './ways';

type Child = Parameters<typeof h>[2];

function facts(pairs: [string, string | null | undefined][]): HTMLElement {
  return h(
    'dl',
    {},
    pairs.filter(([, v]) => v).map(([k, v]) => h('div', {}, h('dt', {}, k), h('dd', {}, v ?? ''))),
  );
}

function fold(title: string, hint: string, ...children: Child[]): HTMLElement {
  return h('details', {}, h('summary', {}, title, hint ? h('span', { class: 'soft' }, ` ${hint}`) : null), ...children);
}

export function provenance(): HTMLElement {
  return h(
    'div',
    { class: 'provenance' },
    host(),
    experiment(),
    data.instances.map(instance),
    variables(),
    data.datasets.map(dataset),
    canary(),
    events(),
  );
}

function host(): HTMLElement {
  const host = report.host;
  return fold(
    'Host',
    `${host.cpu_model}, ${host.cpus.length} CPUs, ${bytes(host.memory)}`,
    facts([
      ['CPU', `${host.cpu_model}, ${host.cpus.length} logical CPUs`],
      ['memory', bytes(host.memory)],
      ['disk free', bytes(host.disk_free)],
      ['system', host.distribution],
      ['kernel', host.kernel],
      ['virtualisation', host.virtualization],
      ['clock source', host.clock_source],
      ...Object.entries(host.facts),
      ['assay', host.assay],
    ]),
  );
}

function experiment(): HTMLElement {
  const e = report.experiment;
  return fold(
    'Experiment',
    `${e.name}, seed ${e.seed}`,
    e.warnings.map((w) => h('p', {}, badge('warn'), ' ', w)),
    h('pre', {}, e.text),
  );
}

function instance(i: Instance): HTMLElement {
  const wanted = Object.entries({ ...i.wanted.settings, ...i.wanted.native })
    .map(([k, v]) => `${k} = ${show(v)}`)
    .join('\n');
  return fold(
    `Instance ${column(i)}`,
    `${i.kind} ${i.version.join('.')}, profile ${i.wanted.profile}`,
    i.complaints.map((c) => h('p', {}, badge('warn'), ' ', c)),
    facts([
      ['version', `${i.version_text} ${i.version_comment}`],
      ['build', i.wanted.build],
      ['server', i.wanted.on],
      ['engines', i.engines.join(', ')],
      ['CPUs', i.cpus.join(', ')],
      ['started in', duration(i.start_time / 1e6)],
      ['binary SHA-256', i.binary_sha256],
      ['build ID', i.build_id],
    ]),
    h('h4', {}, 'Option file'),
    h('pre', {}, i.option_file || 'assay did not start this server'),
    h('h4', {}, 'Settings asked for'),
    h('pre', {}, wanted),
    (i.not_applicable ?? []).map((n) => h('p', {}, `Not applicable: ${n}`)),
  );
}

/** A server by its build; by its key as well where several instances are of that build. */
function column(i: Instance): string {
  const build = i.wanted.build || `${i.kind} ${i.version.join('.')}`;
  const alone = data.instances.filter((other) => other.wanted.build === i.wanted.build).length === 1;
  return alone ? build : `${build} (${i.key})`;
}

function variables(): HTMLElement {
  const { same, differing } = data.variables;
  const names = Object.keys(differing);
  const difference =
    names.length === 0
      ? h('p', {}, data.instances.length > 1 ? 'No variable differs between the instances.' : 'There was one instance, so none can differ.')
      : h(
          'div',
          { class: 'scroll' },
          h(
            'table',
            { class: 'variables' },
            h(
              'thead',
              {},
              h(
                'tr',
                {},
                h('th', {}, 'variable'),
                data.instances.map((i) => h('th', { scope: 'col', title: `instance ${i.key}` }, column(i))),
              ),
            ),
            h(
              'tbody',
              {},
              names.map((n) =>
                h(
                  'tr',
                  {},
                  h('th', { scope: 'row' }, h('code', {}, n)),
                  (differing[n] ?? []).map((v) => h('td', {}, h('div', { class: 'tall' }, v ?? 'absent'))),
                ),
              ),
            ),
          ),
        );
  const all = Object.entries(same);
  const list = h('pre', { class: 'tall' });
  const fill = (word: string): void => {
    list.textContent = all
      .filter(([k]) => k.includes(word))
      .map(([k, v]) => `${k} = ${v ?? ''}`)
      .join('\n');
  };
  const search = h('input', {
    type: 'search',
    placeholder: 'find a variable',
    'aria-label': 'Find a variable',
    oninput: () => fill(search.value),
  });
  fill('');
  return fold(
    'Server variables',
    `${names.length} differ between instances, ${all.length} are the same`,
    difference,
    h('h4', {}, 'The same everywhere'),
    search,
    list,
  );
}

function kept(d: DatasetRecord): [string, string][] {
  if (!d.snapshot) return [];
  const { key, bytes: size, time, reused } = d.snapshot;
  return [['snapshot', `${key}, ${bytes(size)}, kept in ${duration(time / 1e6)}${reused ? ' by an earlier lab' : ''}`]];
}

function dataset(d: DatasetRecord): HTMLElement {
  const rows = d.tables.map((t) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, t.name),
      h('td', { class: 'num' }, `${digits(t.rows)} of ${digits(t.rows_wanted)}`),
      h('td', { class: 'num' }, bytes(t.bytes)),
      h('td', {}, t.warnings.join('; ') || 'none'),
    ),
  );
  const ddl = d.tables
    .slice(0, 1)
    .map((t) => [
      h('h4', {}, `${t.name} as submitted`),
      h('pre', {}, t.submitted),
      h('h4', {}, `${t.name} as the server shows it`),
      h('pre', {}, t.created),
    ]);
  return fold(
    `Dataset ${d.key}`,
    `${d.tables.length} tables, ${digits(d.rows)} rows, ${d.rows_wrong} of ${d.rows_checked} checked rows wrong`,
    facts([
      ['schema', d.schema],
      ['instance', d.instance],
      ['loaded in', d.load_time === null ? 'found loaded' : duration(d.load_time / 1e6)],
      ...kept(d),
      ...Object.entries(d.parameters).map(([k, v]): [string, string] => [k, show(v)]),
    ]),
    h(
      'div',
      { class: 'scroll' },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ['table', 'rows', 'size', 'warnings'].map((t, i) => h('th', { scope: 'col', class: i === 1 || i === 2 ? 'num' : '' }, t)),
          ),
        ),
        h('tbody', {}, rows),
      ),
    ),
    ddl,
  );
}

/** A way of waiting for answers, in words. */
/** What each way of waiting for answers reaches, by server, and what was chosen by it. */
function reaches(): HTMLElement[] {
  const c = data.canary;
  const all = c?.reaches ?? [];
  const users = [...new Set(all.flatMap((r) => r.points.map((p) => p.users)))].sort((a, b) => a - b);
  if (!c || users.length === 0) return [];
  const rows = all.map((r) =>
    h(
      'tr',
      {},
      h('td', {}, r.server),
      h('td', {}, wayOf(r)),
      users.map((u) => {
        const p = r.points.find((q) => q.users === u);
        return h('td', { class: 'num' }, p ? `${digits(p.qps)}/s` : '');
      }),
    ),
  );
  const head = h('tr', {}, ['server', 'way'].map((t) => h('th', { scope: 'col' }, t)), users.map((u) => h('th', { scope: 'col', class: 'num' }, u)));
  const chosen = c.choice ? ` Chosen: ${choiceOf(c.choice)}.` : '';
  return [
    h('p', { class: 'caption' }, `The cheapest requests per second that users reach by each way of waiting for their answers, by users.${chosen}`),
    h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, head), h('tbody', {}, rows))),
  ];
}

function canary(): HTMLElement {
  const c = data.canary;
  if (!c) return fold('Canary', 'not measured', h('p', {}, 'What this machine\u2019s load can do at most was not measured.'));
  const best = Math.max(...c.points.map((p) => p.qps));
  const rows = c.points.map((p) =>
    h(
      'tr',
      {},
      h('td', { class: 'num' }, p.users),
      h('td', { class: 'num' }, `${digits(p.qps)}/s`),
      h('td', { class: 'num' }, micros(p.client_cpu_us)),
      h('td', { class: 'num' }, micros(p.latency_us_p50)),
    ),
  );
  return fold(
    'Canary',
    `this load reaches at most ${digits(best)} statements/s here`,
    h('p', { class: 'caption' }, `The noop workload against a sham server in process, over ${c.io}, on ${c.machine}, ${clock(c.unix_ms)}.`),
    h(
      'div',
      { class: 'scroll' },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ['users', 'statements', 'client CPU per statement', 'latency p50'].map((t) => h('th', { scope: 'col', class: 'num' }, t)),
          ),
        ),
        h('tbody', {}, rows),
      ),
    ),
    ...reaches(),
  );
}

function events(): HTMLElement {
  const shown = data.events.filter((e) => e.kind !== 'run_started' && e.kind !== 'run_done');
  return fold(
    'Events',
    `${shown.length}, runs that went well left out`,
    h(
      'div',
      { class: 'scroll tall' },
      h(
        'table',
        {},
        h(
          'tbody',
          {},
          shown.map((e) =>
            h(
              'tr',
              {},
              h('td', { class: 'num' }, clock(e.unix_ms)),
              h('td', {}, e.kind.replaceAll('_', ' ')),
              h('td', {}, e.run ?? ''),
              h('td', {}, e.text),
            ),
          ),
        ),
      ),
    ),
  );
}
