// Generated from Rust's structs, what serde makes of them and their doc comments. Never edited by hand:
//   RENEW_TYPES=1 cargo test -p report --test types

/** The time of an average operation, split into what it was spent on. */
export interface Account {
  /** Microseconds from the start of an operation to its last byte, mean over repetitions. */
  operation_us: number;
  terms: Term[];
  /** What no term covers; negative where terms overlap. */
  rest_us: number;
  /** Against the same with the fewest users. */
  growth?: Growth;
  sentence: string;
}

/** A phase ÷ the one that it is held against, run by run. */
export interface Against {
  phase: string;
  /**
   * By name as in the metrics; those of operations and statements by their path, as
   * `operations.add_link.latency_us_mean`.
   */
  ratios: Record<string, Estimate>;
  /** The outcome of the statements per second. */
  outcome: Outcome;
  sentence: string;
}

export interface Ahead {
  check: string;
  sentence: string;
  advice: string;
}

/** A question and its answer, as digests. */
export type Answered = [string, string];

export interface Axis {
  /** The key as written: `users`, `charset`, `settings.buffer_pool`, `workload`. */
  key: string;
  values: Value[];
}

export interface Bound {
  label: string;
  sentence: string;
  /** Checks and metrics that it rests on. */
  evidence?: string[];
}

/** A size in bytes. */
export type Bytes = number;

export interface Call {
  /** Number of the function; of the root, which is everything, it means nothing. */
  name: number;
  /** In it and in what it called. */
  samples: number;
  calls?: Call[];
}

export interface Canary {
  /** CPU model, count, kernel and assay revision that it was measured with. */
  machine: string;
  /** `io_uring` or `epoll`. */
  io: string;
  /** Ascending in users. */
  points: CanaryPoint[];
  unix_ms: number;
  /** CPU time of the machine that others took meanwhile; `None` in ceilings from before. */
  others?: Share;
  /** By server and way. */
  reaches?: Reach[];
  /** What a record's runs with `io = "auto"` went by. */
  choice?: Choice;
}

export interface CanaryPoint {
  users: number;
  /** Statements per second that the load reached. */
  qps: number;
  /** Client CPU per statement, microseconds. */
  client_cpu_us: number;
  /** Median latency, microseconds. */
  latency_us_p50: number;
}

export interface Cell {
  id: CellId;
  axes: Record<string, Value>;
  workload: string;
  /**
   * By plain name: `qps`, `ops_per_s`, `tps`, `latency_us_p99`, `client_cpu_us_per_statement`, `errors_per_op`
   * …
   */
  metrics: Record<string, Estimate>;
  /** The same per operation and per statement. */
  operations: Record<string, Record<string, Estimate>>;
  statements: Record<string, Record<string, Estimate>>;
  /** Each group of users apart, by name; empty where all do the same. */
  groups?: Record<string, Part>;
  /** Each phase that measures apart, in order; empty where there is one only. */
  phases?: PhaseJudgement[];
  /** One value per repetition, in order, of the metrics drawn as dots (`qps` at least). */
  repetitions: Record<string, number[]>;
  runs: string[];
  verdicts: Verdict[];
  /** The worst of the verdicts; a cell that failed is shown struck. */
  status: Status;
  /** Which resource limits this cell, as `client-bound`, with the evidence in words. */
  bound: Bound | null;
  /**
   * Where the time of an operation went; `None` when too little of it was measured, or when groups of users
   * differ.
   */
  account?: Account;
  /** What an explain run of the cell saw, when there was one. */
  explain?: Explain;
  /** Set when no run of the cell was done: skipped or failed, in the server's words. */
  no_number: string | null;
  /** Absent when nothing went wrong. */
  errors?: Errors;
  /** The cell that this one, the second arm of an A/A pair, repeats. */
  repeats?: CellId;
}

/** `c001`: stable within a plan. */
export type CellId = string;

/** Which way `io = "auto"` takes at which number of users. */
export interface Choice {
  /** Ascending in users; never empty. */
  steps: Step[];
  /** Whose reaches it was chosen by. */
  server: string;
}

export interface Claim {
  /** It says what was found out, and not how far the numbers may be believed. */
  is_answer?: boolean;
  status: Status;
  sentence: string;
  /** Cells, comparisons or checks that it rests on. */
  evidence: string[];
}

/** Two cells side by side on one metric. */
export interface Comparison {
  metric: string;
  /** Cell ids. */
  base: string;
  candidate: string;
  /** The axis on which the two differ. */
  axis: string;
  /** The one phase that is compared, where the runs have several that measure. */
  phase?: string;
  /** candidate ÷ base. */
  ratio: Estimate;
  outcome: Outcome;
  /** Further repetitions that would probably decide an undecided one; absent where they would be too many. */
  more?: number;
  sentence: string;
}

/** A counter that a reader may lay beside rate and latency: it was measured, and moved. */
export interface Counter {
  name: string;
  /** What its lane counts: levels, or growth per second. */
  unit: string;
  /** Drawn until the reader chooses. */
  is_first: boolean;
  meaning: string;
}

/** As `instructions`, of `model::record::profile::COUNTERS`. */
export interface CounterPerOperation {
  name: string;
  value: Estimate;
}

/**
 * A counter's place among all, its least and its largest value, and its values between these, two digits of
 * base 64 each (`LEVELS`) and `..` where there is none.
 */
export type Course = [number, number, number, string];

/** One curve over users, and whether the universal scalability law describes it. */
export interface CurveJudgement {
  /** The workload and its values on the other axes. */
  place: string;
  cells: CellId[];
  /** There was enough to fit a law to. */
  is_fitted: boolean;
  /** Only where it describes the curve. */
  law: LawJudgement | null;
  sentence: string;
}

/** One dataset as it lies in an instance: `datasets/<key>.json`. */
export interface DatasetRecord {
  /** Hash of instance, workload family and the parameters that shape data; runs name it. */
  key: string;
  instance: string;
  schema: string;
  family: string;
  /** The parameters that shape the data. */
  parameters: Record<string, Value>;
  tables: TableAnswer[];
  /** The time of the one load, whichever lab it was that loaded; `None` when it was found loaded. */
  load_time: Nanos | null;
  /** Where it is kept cold. */
  snapshot?: SnapshotRecord;
  rows: number;
  /** Rows compared with the generator, and those that differed. */
  rows_checked: number;
  rows_wrong: number;
}

export interface Document {
  schema: number;
  experiment: Experiment;
  host: Host;
  cells: Cell[];
  comparisons: Comparison[];
  overall?: Overall[];
  findings: Finding[];
  searches?: SearchJudgement[];
  curves?: CurveJudgement[];
  plans?: PlanTable[];
  forecasts?: Forecast[];
  functions?: FunctionTable[];
  function_diffs?: FunctionDiff[];
  verdicts: Verdict[];
  claims: Claim[];
  health: Health;
  not_measured: string[];
  /** By metric. */
  made_of?: Record<string, Made>;
}

export interface ErrorCount {
  number: number;
  /** The number with its word, as `1213 (deadlock)`. */
  error: string;
  /** Operations tried again after it, and given up with it. */
  retried?: number;
  failed?: number;
  /** The first message with which one was given up. */
  message?: string;
}

/** What went wrong in the runs of a cell, warm-up and failed runs included, and sessions opened meanwhile. */
export interface Errors {
  /** The most frequent first. */
  by_number: ErrorCount[];
  /** Sessions opened anew because the load wants that, and those that replaced a broken one. */
  renewed?: number;
  reconnects?: number;
  /** From the wish to connect until the server let the user in, of both. */
  connect_us_p50?: number;
  connect_us_p99?: number;
}

export interface Estimate {
  value: number;
  /** Bounds of the 95 % interval; `None` when there are too few repetitions for one. */
  low: number | null;
  high: number | null;
  /** Repetitions. */
  n: number;
  unit: string;
}

export interface Event {
  /** Milliseconds since 1970 (UTC). */
  unix_ms: number;
  kind: EventKind;
  run?: RunId;
  /** One sentence for a reader. */
  text: string;
}

export type EventKind =
  | 'lab_stopped'
  | 'instance_starting'
  | 'instance_ready'
  | 'instance_stopped'
  | 'dataset_loading'
  | 'dataset_ready'
  | 'run_started'
  | 'run_done'
  | 'run_failed'
  | 'run_skipped'
  | 'disturbance_began'
  | 'disturbance_ended'
  | 'note'
  | 'lab_started'
  | 'instance_died'
  | 'snapshot_kept'
  | 'snapshot_restored'
  | 'snapshot_removed'
  | 'run_interrupted'
  | 'run_repeated';

export interface Executed {
  statement: string;
  /** Its plan in the server's words, with the rows, blocks and time of each node. */
  plan: string;
}

export interface Experiment {
  name: string;
  question: string;
  scale: string | null;
  /** What measures it again. */
  command: string;
  seed: Seed;
  axes: Axis[];
  repetitions: number;
  skipped: Skipped[];
  warnings: string[];
  text: string;
}

export interface Explain {
  /** Over all threads and the whole run, the longest first. */
  waits: Wait[];
  stages?: Wait[];
  /** Statements that were carried out once when the users had left, where the server says what that touched. */
  executed?: Executed[];
}

export interface Finding {
  name: string;
  rung: Rung;
  sentence: string;
  /** Share of the difference that the mechanism explains, 0 to 1, where it could be computed. */
  share: number | null;
  /** Bounds of its 95 % interval. */
  share_interval?: [number, number];
  /** The best competing hypothesis for the same time. */
  rival?: Rival;
  evidence: string[];
  /** The text of an experiment file that would raise or refute the rung. */
  next_experiment: string | null;
  /** Where a report writes that file, within the record. */
  next_file?: string;
}

/** Where the time of a cell's operations goes, call by call. */
export interface Flame {
  cell: string;
  spent: Spent;
  /** Functions by number. */
  names: string[];
  /** Microseconds per operation that one sample stands for. */
  us: number;
  root: Call;
}

export interface Forecast {
  cell: CellId;
  /** Whose arithmetic it is. */
  finding: string;
  /** What the two curves count, as a reader is told. */
  expected: string;
  measured: string;
  /**
   * How much was measured for one that was expected, over the phase that is foretold: they count different
   * things, and at this scale their curves can be laid on each other.
   */
  per_expected?: number;
  /** Runs that both are averages over. */
  runs: number;
  phases: ForecastPhase[];
}

export interface ForecastPhase {
  name: string;
  disturb?: string;
  points: ForecastPoint[];
}

/** A second, or several of a long run. */
export interface ForecastPoint {
  /** Seconds since the first of the phases began, and for how many it holds. */
  at_s: number;
  for_s: number;
  /** `None` where nothing is foretold. */
  expected: number | null;
  measured: number;
}

export interface Function {
  name: string;
  /** Time per operation, µs: in the function itself, and in it with what it called. */
  own: Estimate;
  total: Estimate;
  /** In it itself. */
  samples: number;
}

/** Two cells side by side, what moved most first. */
export interface FunctionDiff {
  base: Sampled;
  candidate: Sampled;
  /** Candidate − base, of the whole operation, µs. */
  operation: Moved;
  functions: MovedFunction[];
}

/** The functions of one cell, those with most time of their own first. */
export interface FunctionTable {
  sampled: Sampled;
  functions: Function[];
}

/** What is looked for. */
export type Goal = {
  rate: {
    keep: Keep;
  };
} | 'users';

/** What an operation takes longer than at the lowest level. */
export interface Growth {
  since: CellId;
  operation_us: number;
  /** By name of the term, the largest first. */
  terms: [string, number][];
  rest_us: number;
}

export interface Health {
  sentence: string;
  /** Rates that were to be measured: one of each cell, or of each of its phases where several measure. */
  numbers: number;
  stand: number;
  /** So many of those that stand have a check that could not be evaluated, for want of evidence. */
  unchecked: number;
  /** Why the others do not stand, the most frequent reason first. Each number has one reason. */
  reasons: Reason[];
}

export interface Host {
  /** Online logical CPUs, by number. */
  cpus: number[];
  /** CPUs of each socket (physical package). */
  sockets: Record<string, number[]>;
  /** NUMA nodes that have memory; none where the kernel tells of none, and in records from before. */
  nodes?: number[];
  cpu_model: string;
  memory: Bytes;
  /** Free space where records and data directories go. */
  disk_free: Bytes;
  kernel: string;
  distribution: string;
  virtualization: string | null;
  clock_source: string | null;
  /**
   * The least by which the clock was seen to move, and what a reading of it costs; `None` in records from
   * before.
   */
  clock_step?: Nanos;
  clock_cost?: Nanos;
  /** Open files that the lab may raise its limit to. */
  open_files: number;
  io_uring: boolean;
  /** Threads that a process here may still begin; 0 in descriptions from before. */
  threads: number;
  /** Other facts worth a line in the provenance: governor, transparent huge pages, swappiness, file system. */
  facts: Record<string, string>;
  /** Builds that can be started here. */
  builds: InstalledBuild[];
  /** Revision and profile of the assay binary. */
  assay: string;
}

/** One server binary on this host. */
export interface InstalledBuild {
  /** The name in the catalogue. */
  name: string;
  /** `mariadb`, `mysql`. */
  kind: string;
  version: Version;
  /** The server binary. */
  binary: string;
  basedir: string;
  engines: string[];
}

/** One server as it really ran: `instances/<key>.json`. */
export interface Instance {
  /** Hash of `wanted`; runs name it. */
  key: string;
  wanted: Server;
  kind: string;
  version: Version;
  /** `SELECT VERSION()`. */
  version_text: string;
  version_comment: string;
  /** SHA-256 of the binary when the lab could read it. */
  binary_sha256: string | null;
  /**
   * The linker's name for the program that the process runs, which a wrapper may have started; absent where it
   * has none, and in records from before.
   */
  build_id?: string;
  /** The commit that the build's folder names, for a server that does not say it itself. */
  source_commit?: string;
  /**
   * The option file as written; empty for a server that the lab did not start. Here and in the variables the
   * private folders and the port, new at every start, read `{data}`, `{run}` and `{port}`.
   */
  option_file: string;
  engines: string[];
  /** CPUs that the server's process may use, read back after start. */
  cpus: number[];
  /**
   * The place of a server that was there before the lab; absent for one that the lab started, and in records
   * from before.
   */
  place?: Place;
  /** Warnings in the error log that mean an option was not honoured. */
  complaints: string[];
  /** Settings that this version or engine has no use for, each with the reason. */
  not_applicable?: string[];
  start_time: Nanos;
}

/**
 * How the load talks to the kernel: with a thread for each user that blocks in send and receive, or with few
 * threads that hold many users each.
 */
export type Io = 'auto' | 'blocking' | 'io_uring' | 'epoll';

/** A limit on a percentile of latency: of the operations due, so many per cent are answered in less than this. */
export interface Keep {
  percent: number;
  limit: Nanos;
}

/** Columns of equal length, one entry per drawn interval. */
export interface Lane {
  /** Milliseconds since the start of the run's first phase. */
  from: number[];
  to: number[];
  /** Statements per second; then that of the slowest interval merged into it. */
  qps: number[];
  slowest: number[];
  p50_us: (number | null)[];
  p99_us: (number | null)[];
  /** CPUs kept busy by assay, by the server, by all else on the host. */
  client: (number | null)[];
  server: (number | null)[];
  other: (number | null)[];
  /** The courses of further counters. */
  more?: Course[];
}

export interface Latency {
  steps: number;
  /** By cell, then by operation, those of each group of users apart. */
  cells: Record<string, Record<string, Percentiles>>;
}

/** X(N) = γN / (1 + α(N − 1) + βN(N − 1)), fitted. */
export interface LawJudgement {
  gamma: Estimate;
  alpha: Estimate;
  beta: Estimate;
  peak_users: Estimate;
  peak_rate: Estimate;
  /** For drawing: users, rate, and the bounds of its 95 % interval. */
  line: [number, number, number, number][];
}

export interface LiveLane {
  name: string;
  unit: string;
  values: (number | null)[];
}

/** How a metric is computed from what a run wrote down. */
export interface Made {
  how: string;
  /** Names in `phases[].counters` of `run.json`. */
  counters: string[];
}

export interface Moment {
  /** Runs that are over, of those that there are to be. */
  done: number;
  total: number;
  /** There may be fewer: levels are looked for, or noise says how many repetitions there are. */
  is_at_most: boolean;
  /** Seconds that the rest will take; absent when nothing is left, or nobody can say. */
  left_s: number | null;
  /** The last event, as a sentence. */
  what: string;
  run: RunNow | null;
  /** A value per second of the run under way, the last one now. */
  lanes: LiveLane[];
  /** Runs that are over, the latest first; of very many the latest. */
  results: RunResult[];
  /** Checks that would fail if the run under way ended now. */
  ahead: Ahead[];
  /** The lab has stopped: the report is all there is. */
  is_over: boolean;
}

/** Time per operation, µs, in both. */
export interface Moved {
  base: number;
  candidate: number;
  /** Candidate − base. */
  difference: Estimate;
  /** Candidate ÷ base; `None` of nothing. */
  ratio: number | null;
  /** It is more than chance, however many functions were looked at. */
  is_significant: boolean;
}

export interface MovedFunction {
  name: string;
  own: Moved;
  total: Moved;
}

/** A length of time in nanoseconds. */
export type Nanos = number;

export type Outcome = 'better' | 'worse' | 'equivalent' | 'undecided' | 'refused';

/** Two cells over many of their tests at once: the ratio is the median of theirs, by block. */
export interface Overall {
  metric: string;
  /** Cell ids. */
  base: string;
  candidate: string;
  /** The axis on which the two differ. */
  axis: string;
  /** The one phase that is compared, where the runs have several that measure. */
  phase?: string;
  /** candidate ÷ base. */
  ratio: Estimate;
  outcome: Outcome;
  /** Further repetitions that would probably decide an undecided one; absent where they would be too many. */
  more?: number;
  sentence: string;
  /** The group whose tests these are; absent: all of them. */
  group?: string;
  /** How many tests it is over, … */
  tests: number;
  /** … and how many the two have. The others are struck on either side. */
  of: number;
}

/**
 * All that the page is handed. Its types in TypeScript, `page/src/types.ts`, are written from here
 * (`tests/types.rs`).
 */
export interface PageData {
  report: Document;
  /** The axis that everything is drawn over. */
  x: string | null;
  runs: Run[];
  /** By run. */
  timeline: Record<string, Lane>;
  /** The counters that its lanes may show. */
  counters: Counter[];
  latency: Latency;
  events: Event[];
  canary: Canary | null;
  instances: Instance[];
  variables: Variables;
  datasets: DatasetRecord[];
  sessions: SessionAnswer[];
  /** The stacks of cells that were profiled. */
  flames?: Flame[];
  /** To be pasted elsewhere. */
  tables: Pasted[];
  /** The moment of a lab at work; absent from a report. */
  live?: Moment;
}

/** The numbers of a part of a cell, named as those of the cell. */
export interface Part {
  workload: string;
  metrics: Record<string, Estimate>;
  operations: Record<string, Record<string, Estimate>>;
  statements: Record<string, Record<string, Estimate>>;
}

/** One table, and its two forms to paste. */
export interface Pasted {
  /** `qps`, `cost`, `changes` or `buckets`. */
  name: string;
  title: string;
  /** How its marks are read. */
  note: string;
  heads: string[];
  groups: PastedGroup[];
  markdown: string;
  tsv: string;
}

export interface PastedCell {
  text: string;
  /** A failed check strikes it. */
  struck?: boolean;
}

/** Tests of one kind: `point`, `range`, `aggregation`, `write`. */
export interface PastedGroup {
  name: string;
  rows: PastedCell[][];
}

export interface Percentiles {
  n: number;
  /** The values at q = 1 - 10^(-k/steps), k = 0, 1, 2 …; the last is the maximum. */
  micros: number[];
}

/**
 * Name, kind, from and to in milliseconds since the run's first phase, users, the disturbance, and what it did
 * in words.
 */
export type Phase = [string, PhaseKind, number, number, number, string | null, string | null];

/** One phase of a cell that has several, beside the one that it is held against. */
export interface PhaseJudgement {
  name: string;
  /** The name without the number of its iteration, and that number. */
  step: string;
  iteration?: number;
  /** What was done to the server meanwhile, in the runs that were made. */
  disturb?: string;
  /** Checks that failed on this phase, and not on all of its cell. */
  struck?: string[];
  workload: string;
  metrics: Record<string, Estimate>;
  operations: Record<string, Record<string, Estimate>>;
  statements: Record<string, Record<string, Estimate>>;
  /** Where the phase has groups of its own: the numbers of each. */
  groups?: Record<string, Part>;
  /** Absent in the phase that others are held against. */
  against?: Against;
}

export type PhaseKind = 'warm_up' | 'measure';

/**
 * Where a server is that the lab did not start, as its address says: the far end of a tunnel looks like this
 * host.
 */
export type Place = 'elsewhere' | 'this_host';

export interface PlanCell {
  parts: PlanPart[];
  /** Rows that the handler was asked for by one execution alone. */
  reads: number;
  /** The same per statement of the phase, all its statements together, as measured. */
  measured_reads: number | null;
  /** Mean time of the statement in the phase. */
  us: Estimate | null;
}

export interface PlanColumn {
  cell: CellId;
  value: Value;
  /** The primary key of the first table, as the server made it. */
  primary_key: string | null;
  key_differs: boolean;
}

/**
 * `access`, `key`, `key length`, `rows`, `partitions`; `with` and `without` for what is done beside; `where`
 * for a condition that the first column does not have.
 */
export interface PlanPart {
  name: string;
  text: string;
  differs: boolean;
}

/** One statement at the begin of one phase, in the order of the columns; `None` where it was not asked. */
export interface PlanRow {
  phase: string;
  statement: string;
  cells: (PlanCell | null)[];
}

/** The plans of cells that differ on one axis, side by side: one for each place on the others. */
export interface PlanTable {
  axis: string;
  /** Values on the other axes, in words. */
  place: string;
  /** The first is what the others are held against. */
  columns: PlanColumn[];
  rows: PlanRow[];
}

/** How data came to lie in an instance. */
export type Prepared = 'snapshot' | 'loaded' | 'found';

/** What one way to the kernel reaches with the cheapest request of a server that has a thread for each session. */
export interface Reach {
  /** A build, or [`SHAM`]. */
  server: string;
  io: Io;
  /** Where users do not have a thread each. */
  threads: Threads;
  /** Ascending in users. */
  points: CanaryPoint[];
  unix_ms: number;
}

export interface Reason {
  standing: Standing;
  /** As it follows *because*: `other processes used the CPU`. */
  because: string;
  numbers: number;
  cells: CellId[];
  /** What would mend it. */
  advice: string;
}

export interface Restored {
  snapshot: string;
  /** `reflink` or `copy`. */
  manner: string;
  /** Until the data lay there; the server's start is the instance's. */
  time: Nanos;
}

export interface Rival {
  /** Another finding, or a term of the latency's account. */
  name: string;
  /** The share of the same difference. */
  share: number;
  /** The two shares are too near each other to choose. */
  undecided: boolean;
  /** Why it ranks lower, or what would decide. */
  sentence: string;
}

export interface Run {
  id: RunId;
  cell: CellId;
  repetition: number;
  block: number;
  position: number;
  ending: RunEnding;
  /** Why it failed or was skipped; else empty. */
  reason: string;
  /** Milliseconds since 1970 (UTC). */
  started: number;
  ended: number;
  users: Users | null;
  instance: string | null;
  dataset: string | null;
  io: string;
  workers: number;
  /** Operations of the measured phases that were given up with an error. */
  failed: number;
  start: StartingState | null;
  /** Which of the sessions answered for it. */
  session: number | null;
  phases: Phase[];
  /** By name: growth over the measured phases, and over how many seconds. */
  counters: Record<string, [number, number]>;
}

export type RunEnding = 'done' | 'failed' | 'skipped';

/** `c001-1`: cell and repetition; the name of the run's folder. */
export type RunId = string;

export interface RunNow {
  id: RunId;
  cell: CellId;
  /** The workload and the values on the axes. */
  name: string;
  phase: string;
  /** Seconds since its first phase began, and of all its phases; absent where those end by count. */
  at_s: number;
  of_s: number | null;
}

export interface RunResult {
  run: RunId;
  name: string;
  /** `done`, or why it was not. */
  ending: string;
  is_done: boolean;
  /** Statements per second over all phases that measure. */
  qps: number | null;
  /** In microseconds. */
  p99_us: number | null;
}

export type Rung =
  | 'unexplained'
  | 'consistent_with'
  | 'quantitatively_sufficient'
  | 'dose_response'
  | 'confirmed_by_intervention';

/** What a table of functions rests on. */
export interface Sampled {
  /** The cell's id. */
  cell: string;
  spent: Spent;
  /** Profile runs. */
  runs: number;
  /** In phases that measure. */
  samples: number;
  lost: number;
  hz: number;
  /** Such time of the server per operation, µs. */
  operation: Estimate;
  /** Shares of all samples: those whose stack's end was not found, those whose function has no name. */
  not_unwound: Share;
  not_named: Share;
  /** CPU time of the profiler itself ÷ that of the server. */
  cost: Share;
  /**
   * The time of an operation in profiled runs ÷ that in the neighbours of each that were not; where there are
   * some.
   */
  slower?: Estimate;
  /** What the CPUs counted of the server's threads per operation, where they count. */
  counters?: CounterPerOperation[];
  /** What could not be read, each with its mend. */
  missing: string[];
}

export interface Search {
  goal: Goal;
  /** The lowest and the highest level that may be tried: operations per second, or users. */
  from: number;
  to: number;
  /** The search ends when its interval reaches no further than this to both sides. */
  within: Share;
  /** It ends after so many runs in any case. */
  runs: number;
  /** The seed of the order in which levels are tried, where nothing else decides. */
  seed: Seed;
}

/** What a search found: its answer, and the runs that led to it. */
export interface SearchJudgement {
  cell: CellId;
  /** As planned: what was looked for, and where. */
  search: Search;
  /** In the order of the runs. */
  trials: TrialJudgement[];
  /** Operations per second, or users; `None` where it lies outside the range. */
  answer: Estimate | null;
  /** No further run is needed or allowed. */
  over: boolean;
  status: Status;
  sentence: string;
}

/**
 * The root of a reproducible stream of random numbers. Kept below 2^53 when written, so that every JSON reader
 * agrees on it.
 */
export type Seed = number;

/** What the instance of a cell is to be: two cells with equal servers can share one. */
export interface Server {
  /**
   * Name in the catalogue, as `mariadb-10.11` or `distribution`; with `on` set, the name of what the DSN points
   * at.
   */
  build: string;
  /** A server that the lab neither starts nor stops: its DSN without any secret. */
  on?: string;
  /** One server, or a cluster of equal ones. */
  topology?: Topology;
  engine: string;
  profile: string;
  /** Settings in the lab's words (`settings::ALL`), profile defaults filled in. */
  settings: Record<string, Value>;
  /** The server's own variables, passed as they are. */
  native: Record<string, Value>;
  /** Listens on loopback beside its socket, because some users of the plan come that way. */
  tcp?: boolean;
  /**
   * CPUs for server and load as the experiment said (`all`, `half`, `0-7`, `socket:0`); `None` leaves it to the
   * lab.
   */
  cpus?: string;
  /** Those of several ranks are one set for all, or one for each (`0-3 | 4-7`). */
  load_cpus?: string;
  /**
   * Where its memory comes from, as the experiment said (`local`, `interleave`, `node 0`); `None` leaves it to
   * the kernel.
   */
  memory?: string;
}

/** What one session said about itself before a run, and the plan of each statement. */
export interface SessionAnswer {
  /**
   * `character_set_client`, `collation_connection`, `transaction_isolation`, `autocommit`, `sql_mode`,
   * `time_zone` …
   */
  variables: Record<string, string>;
  /** `unix` or `tcp`; then `plain` or `tls`. */
  transport: string;
  /**
   * TLS version and cipher as client and server agreed on them, and as the server names them (`Ssl_version`,
   * `Ssl_cipher`); `None` in the clear.
   */
  tls?: TlsAnswer;
  /** The authentication plugin by which the server let the session in. */
  authentication: string;
  /** `off`, and whether the server offered it: assay never compresses. */
  compression: string;
  plans: StatementPlan[];
  /** Plans that read otherwise after the run, numbers aside, by statement; `None` where nobody asked again. */
  plans_after?: Record<string, string>;
}

/** A part of a whole, 0 to 1. */
export type Share = number;

export interface Skipped {
  axes: Record<string, Value>;
  reason: string;
}

/** Loaded data kept as files. */
export interface SnapshotRecord {
  key: string;
  /** On disk, the server's own files included. */
  bytes: Bytes;
  /** What it took beyond the load: purge, a clean end of the server, syncing. */
  time: Nanos;
  /** Made by an earlier lab. */
  reused: boolean;
}

/** What kind of time a profile tells about. */
export type Spent = 'on_cpu' | 'waiting';

/** What became of a number. */
export type Standing = 'struck' | 'lower_bound' | 'missing';

export interface StartingState {
  /** By dataset: a digest of its tables and of rows that stand for all. Equal digests are equal data. */
  datasets: Record<string, string>;
  prepared: Prepared;
  /** Runs that went over these data since they were prepared. */
  runs_before: number;
  /** Whether one of those wrote. */
  aged: boolean;
  /** The snapshot and its copying, where there was one. */
  restored?: Restored;
  /** Data and indexes of the datasets, as the server states them. */
  bytes: Bytes;
  /** Leaf pages of all indexes, by the engine's statistics; absent where it keeps none. */
  leaf_pages?: number;
  /** Old row versions that purge has still to remove (InnoDB's history list). */
  history?: number;
  /** Redo written since the last checkpoint. */
  checkpoint_age?: Bytes;
  /** Pages in the buffer pool, and those that fit. */
  pool_pages?: [number, number];
}

/** One statement and how the server means to carry it out, with sampled values in place of its parameters. */
export interface StatementPlan {
  statement: string;
  sql: string;
  /** `EXPLAIN FORMAT=JSON` where the server has it, else the rows of EXPLAIN as `key=value` lines. */
  explain: string;
  /** Session handler counters of one execution (`Handler_read_next` = 100 …), from the probe session. */
  handlers: Record<string, number>;
  /** Rows that execution returned. */
  rows: number;
  /** Plans of the same statement with other values that read otherwise, numbers aside. */
  other_explains?: string[];
  /**
   * What executions with values from a seed of their own returned, the same in every record: digests of the
   * question and of its rows, whatever their order. Empty for a statement that writes.
   */
  answers?: Answered[];
}

/**
 * Ordered from best to worst for a badge: the worst of several is shown. Where nothing is of which a check
 * speaks it does not apply, which makes nothing worse; where what it needs was not measured it cannot be
 * evaluated.
 */
export type Status = 'not_applicable' | 'pass' | 'not_evaluable' | 'warn' | 'fail';

/** One way, and up to how many users it is taken. */
export interface Step {
  /** Absent of the last, which is taken for all more. */
  up_to?: number;
  io: Io;
  /** Where users do not have a thread each. */
  threads: Threads;
}

export interface TableAnswer {
  name: string;
  /** The statement that was submitted. */
  submitted: string;
  /** `SHOW CREATE TABLE`. */
  created: string;
  /** Warnings of the CREATE. */
  warnings: string[];
  /** `SELECT COUNT(*)`. */
  rows: number;
  rows_wanted: number;
  /** Data and index bytes as the server states them. */
  bytes: Bytes;
}

export interface Term {
  /** `server CPU`, `files` … */
  name: string;
  us: number;
  /** Metrics that it was computed from. */
  from: string[];
}

/** On how many threads the load holds its users, where they do not have one each. */
export type Threads = 'per_cpu' | 'one';

export interface TlsAnswer {
  version: string;
  cipher: string;
  server_version: string;
  server_cipher: string;
}

export type Topology = string;

export interface TrialJudgement {
  run: string;
  level: number;
  /** The percentile in microseconds, or operations per second; `None` when nothing was done. */
  value: number | null;
  /** The limit was broken. */
  over: boolean;
  /** Why the run was ended early, if it was; its value is then that of a beginning. */
  cut?: string;
  why: string;
}

/** Simulated clients that exist at the same time. */
export type Users = number;

export type Value = boolean | number | string;

export interface Variables {
  /** By name, where all instances agree. */
  same: Record<string, string | null>;
  /** By name: the value of each instance, `None` where it has no such variable. */
  differing: Record<string, (string | null)[]>;
}

export interface Verdict {
  /** Id of the check, as `client_had_headroom`. */
  check: string;
  verdict: Status;
  /** What was found, with number and unit, why it matters for this claim. */
  sentence: string;
  /** The measured value as text with its unit; empty when nothing was. */
  measured: string;
  limit: string;
  /** What to do about it; empty for a pass, and where the check does not apply. */
  advice: string;
  /** Where it can be seen: paths within the record, with an optional `#key` (`runs/c001-1/run.json#phases.0`). */
  evidence: string[];
  /** The check is new: told, and no number is struck for it. */
  quarantined?: boolean;
  /**
   * The phases of a cell, where they do different work, in which it failed, when others did not. Only their
   * numbers are struck.
   */
  phases?: string[];
  /**
   * The phases of a cell, where they do different work, in which it warned or failed, when it passed in others;
   * of a check that could not be asked, those in which it could not.
   */
  open_in?: string[];
}

/** A server's version, compared by its numbers. */
export type Version = [number, number, number];

export interface Wait {
  /** As the server names it: `wait/synch/sxlock/innodb/index_tree_rw_lock`. */
  event: string;
  count: number;
  time: Nanos;
}
