// The data of the page as Rust inlined them (`crates/report/src/page`), with their shapes. Texts that occur more than
// once travel in a table; `unfold` puts them back. Everything else on the page reads `data` and changes nothing in it.

export type Value = boolean | number | string;
export type Status = 'pass' | 'not_evaluable' | 'warn' | 'fail';

export interface Estimate {
  value: number;
  low: number | null;
  high: number | null;
  n: number;
  unit: string;
}
export interface Verdict {
  check: string;
  verdict: Status;
  sentence: string;
  measured: string;
  limit: string;
  advice: string;
  evidence: string[];
}
export interface Claim {
  is_answer?: boolean;
  status: Status;
  sentence: string;
  evidence: string[];
}
export interface Axis {
  key: string;
  values: Value[];
}
export type Metrics = Record<string, Estimate>;

/** One of the server's own instruments over an explain run; time in nanoseconds. */
export interface Wait {
  event: string;
  count: number;
  time: number;
}

/** The numbers of a part of a cell: a group of its users. */
export interface Part {
  workload: string;
  metrics: Metrics;
  operations: Record<string, Metrics>;
  statements: Record<string, Metrics>;
}

/** One phase of a cell that has several, and how many times as much it has of what the phase had that it follows from. */
export interface PhasePart extends Part {
  name: string;
  step: string;
  iteration?: number;
  disturb?: string;
  /** Checks that failed on this phase and not on the whole cell. */
  struck?: string[];
  against?: { phase: string; ratios: Metrics; outcome: string; sentence: string };
}

export interface Cell {
  id: string;
  axes: Record<string, Value>;
  workload: string;
  metrics: Metrics;
  operations: Record<string, Metrics>;
  statements: Record<string, Metrics>;
  /** Absent where all users do the same. */
  groups?: Record<string, Part>;
  /** Absent where one phase measures. */
  phases?: PhasePart[];
  repetitions: Record<string, number[]>;
  runs: string[];
  verdicts: Verdict[];
  status: Status;
  bound: { label: string; sentence: string; evidence?: string[] } | null;
  account?: Account;
  no_number: string | null;
  /** Absent when nothing went wrong; counts that are zero are left out. */
  errors?: {
    by_number: { number: number; error: string; retried?: number; failed?: number; message?: string }[];
    renewed?: number;
    reconnects?: number;
    connect_us_p50?: number;
    connect_us_p99?: number;
  };
  explain?: { waits: Wait[]; stages?: Wait[] };
  /** The cell that this one, the second arm of an A/A pair, repeats. */
  repeats?: string;
}

/** The time of an operation, split; microseconds, and the counters behind each term. */
export interface Account {
  operation_us: number;
  terms: { name: string; us: number; from: string[] }[];
  rest_us: number;
  sentence: string;
}

export interface Comparison {
  metric: string;
  base: string;
  candidate: string;
  axis: string;
  /** The one phase that is compared, where there are several. */
  phase?: string;
  ratio: Estimate;
  outcome: string;
  sentence: string;
}
/** A curve over users, and the law that describes it if one does. */
export interface Curve {
  place: string;
  cells: string[];
  is_fitted: boolean;
  law: { alpha: Estimate; beta: Estimate; gamma: Estimate; peak_users: Estimate; peak_rate: Estimate; line: [number, number, number, number][] } | null;
  sentence: string;
}
export interface Trial {
  run: string;
  level: number;
  /** Microseconds of the percentile, or operations per second. */
  value: number | null;
  over: boolean;
  /** Why it was ended early. */
  cut?: string;
  why: string;
}
export interface Search {
  cell: string;
  search: { goal: 'users' | { rate: { keep: { percent: number; limit: number } } }; from: number; to: number; within: number; runs: number };
  trials: Trial[];
  answer: Estimate | null;
  status: Status;
  sentence: string;
}
/** How statements were carried out in cells that differ on one axis; the first column is what the others are held against. */
export interface PlanTable {
  axis: string;
  place: string;
  columns: { cell: string; value: Value; primary_key: string | null; key_differs: boolean }[];
  rows: { phase: string; statement: string; cells: (PlanCell | null)[] }[];
}
export interface PlanCell {
  parts: { name: string; text: string; differs: boolean }[];
  reads: number;
  measured_reads: number | null;
  us: Estimate | null;
}
export interface Finding {
  name: string;
  rung: string;
  sentence: string;
  share: number | null;
  share_interval?: [number, number];
  rival?: { name: string; share: number; undecided: boolean; sentence: string };
  evidence: string[];
  next_experiment: string | null;
  next_file?: string;
}

/** What arithmetic foretells beside what was measured; seconds since the first measured phase. */
export interface ForecastPoint {
  at_s: number;
  for_s: number;
  expected: number | null;
  measured: number;
}
export interface Forecast {
  cell: string;
  finding: string;
  expected: string;
  measured: string;
  /** Measured for one expected: the two count different things. */
  per_expected?: number;
  runs: number;
  phases: { name: string; disturb?: string; points: ForecastPoint[] }[];
}

export interface Host {
  cpus: number[];
  cpu_model: string;
  memory: number;
  disk_free: number;
  kernel: string;
  distribution: string;
  virtualization: string | null;
  clock_source: string | null;
  facts: Record<string, string>;
  assay: string;
}

export interface ReportDocument {
  schema: number;
  experiment: {
    name: string;
    question: string;
    scale: string | null;
    /** What measures it again. */
    command: string;
    seed: number;
    axes: Axis[];
    repetitions: number;
    skipped: { axes: Record<string, Value>; reason: string }[];
    warnings: string[];
    text: string;
  };
  host: Host;
  searches?: Search[];
  curves?: Curve[];
  plans?: PlanTable[];
  forecasts?: Forecast[];
  cells: Cell[];
  comparisons: Comparison[];
  findings: Finding[];
  verdicts: Verdict[];
  claims: Claim[];
  not_measured: string[];
  /** By metric: how it is computed, and from which counters. */
  made_of?: Record<string, { how: string; counters: string[] }>;
}

/** Name, kind, from and to in milliseconds since the run's first phase, users, what was done to the server meanwhile, in words. */
export type Phase = [string, string, number, number, number, string | null, string | null];

export interface Run {
  id: string;
  cell: string;
  repetition: number;
  block: number;
  position: number;
  ending: 'done' | 'failed' | 'skipped';
  reason: string;
  started: number;
  ended: number;
  users: number | null;
  instance: string | null;
  dataset: string | null;
  io: string;
  workers: number;
  failed: number;
  session: number | null;
  start: Start | null;
  phases: Phase[];
  /** By name: growth over the measured phases, and over how many seconds. */
  counters?: Record<string, [number, number]>;
}

/** What a run began with. */
export interface Start {
  prepared: 'snapshot' | 'loaded' | 'found';
  runs_before: number;
  aged: boolean;
  restored?: { snapshot: string; manner: string; time: number };
  bytes: number;
}

/** Columns of equal length; times in milliseconds since the run's first phase. */
export interface Lane {
  from: number[];
  to: number[];
  qps: number[];
  slowest: number[];
  p50_us: (number | null)[];
  p99_us: (number | null)[];
  client: (number | null)[];
  server: (number | null)[];
  other: (number | null)[];
  /** By name of a metric: levels, or growth per second. */
  more?: Record<string, (number | null)[]>;
}

export interface Instance {
  key: string;
  wanted: { build: string; on?: string; engine: string; profile: string; settings: Record<string, Value>; native: Record<string, Value> };
  kind: string;
  version: number[];
  version_text: string;
  version_comment: string;
  binary_sha256: string | null;
  option_file: string;
  engines: string[];
  cpus: number[];
  complaints: string[];
  not_applicable?: string[];
  start_time: number;
}

export interface Dataset {
  key: string;
  instance: string;
  schema: string;
  family: string;
  parameters: Record<string, Value>;
  load_time: number | null;
  snapshot?: { key: string; bytes: number; time: number; reused: boolean };
  rows: number;
  rows_checked: number;
  rows_wrong: number;
  tables: { name: string; submitted: string; created: string; warnings: string[]; rows: number; rows_wanted: number; bytes: number }[];
}

export interface Session {
  variables: Record<string, string>;
  transport: string;
  plans: { statement: string; sql: string; explain: string; handlers: Record<string, number>; rows: number }[];
}

export interface PageData {
  report: ReportDocument;
  x: string | null;
  runs: Run[];
  timeline: Record<string, Lane>;
  /** By cell and operation: values at q = 1 - 10^(-k/steps), then the maximum. */
  latency: { steps: number; cells: Record<string, Record<string, { n: number; micros: number[] }>> };
  events: { unix_ms: number; kind: string; run?: string; text: string }[];
  canary: {
    machine: string;
    io: string;
    points: { users: number; qps: number; client_cpu_us: number; latency_us_p50: number }[];
    unix_ms: number;
  } | null;
  instances: Instance[];
  variables: { same: Record<string, string | null>; differing: Record<string, (string | null)[]> };
  datasets: Dataset[];
  sessions: Session[];
}

function unfold(value: unknown, texts: string[]): unknown {
  if (typeof value === 'string')
    return !value.startsWith('~') ? value : value.startsWith('~~') ? value.slice(1) : texts[Number(value.slice(1))];
  if (Array.isArray(value)) return value.map((v) => unfold(v, texts));
  if (value !== null && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, unfold(v, texts)]));
  return value;
}

function read(): PageData {
  const text = document.getElementById('assay-data')?.textContent ?? 'null';
  const carried = JSON.parse(text) as { texts: string[]; data: unknown } | null;
  if (!carried) throw new Error('This page carries no data: it is the empty shell.');
  return unfold(carried.data, carried.texts) as PageData;
}

export const data = read();
export const report = data.report;

/** A group's metrics are a cell's, too, under their path, so that they can be chosen wherever a metric can. */
for (const cell of report.cells)
  for (const [name, part] of Object.entries(cell.groups ?? {}))
    for (const [metric, estimate] of Object.entries(part.metrics)) cell.metrics[`groups.${name}.${metric}`] = estimate;
/** So are a phase's that one looks for first; there may be a hundred phases. */
for (const cell of report.cells)
  for (const { name, metrics, against } of cell.phases ?? []) {
    for (const metric of ['qps', 'latency_us_p99']) if (metrics[metric]) cell.metrics[`phases.${name}.${metric}`] = metrics[metric];
    if (against?.ratios.qps) cell.metrics[`phases.${name}.ratio.qps`] = against.ratios.qps;
  }

export const cellById = new Map(report.cells.map((c) => [c.id, c]));
export const runById = new Map(data.runs.map((r) => [r.id, r]));
