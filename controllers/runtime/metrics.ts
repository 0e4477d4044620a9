/** Label values by label name. */
export type Labels = Readonly<Record<string, string | number>>;

interface Series {
  labels: Labels;
  value: number;
}

interface Family {
  render(): string[];
}

/** A number that only grows. */
export class Counter implements Family {
  readonly #series = new Map<string, Series>();

  constructor(
    readonly name: string,
    readonly help: string,
  ) {}

  add(labels: Labels = {}, amount = 1): void {
    seriesOf(this.#series, labels).value += amount;
  }

  /** What was counted under exactly these labels. */
  value(labels: Labels = {}): number {
    return this.#series.get(keyOf(labels))?.value ?? 0;
  }

  render(): string[] {
    return [...header(this, "counter"), ...lines(this.name, this.#series.values())];
  }
}

/** A number that is asked for when somebody looks. */
export class Gauge implements Family {
  readonly #sources = new Map<string, { labels: Labels; read: () => number }>();

  constructor(
    readonly name: string,
    readonly help: string,
  ) {}

  /** Says where the number with these labels comes from; a later source takes the place of an earlier one. */
  source(labels: Labels, read: () => number): void {
    this.#sources.set(keyOf(labels), { labels, read });
  }

  render(): string[] {
    const series = [...this.#sources.values()].map(({ labels, read }) => ({ labels, value: read() }));
    return [...header(this, "gauge"), ...lines(this.name, series)];
  }
}

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** How values, mostly seconds, are spread. */
export class Histogram implements Family {
  readonly #series = new Map<string, { labels: Labels; counts: number[]; sum: number }>();

  constructor(
    readonly name: string,
    readonly help: string,
    readonly bounds: readonly number[] = SECONDS,
  ) {}

  observe(value: number, labels: Labels = {}): void {
    const key = keyOf(labels);
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels, counts: new Array<number>(this.bounds.length + 1).fill(0), sum: 0 };
      this.#series.set(key, series);
    }
    const found = this.bounds.findIndex((bound) => value <= bound);
    const bucket = found === -1 ? this.bounds.length : found;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += value;
  }

  render(): string[] {
    const body = [...this.#series.values()].flatMap(({ labels, counts, sum }) => {
      let total = 0;
      const buckets = counts.map((count, index) => {
        total += count;
        return line(`${this.name}_bucket`, { ...labels, le: this.bounds[index] ?? "+Inf" }, total);
      });
      return [...buckets, line(`${this.name}_sum`, labels, sum), line(`${this.name}_count`, labels, total)];
    });
    return [...header(this, "histogram"), ...body];
  }
}

/** What the runtime counts and measures about itself, in the names that Prometheus users know. */
export class Metrics {
  readonly requests = new Counter("rest_client_requests_total", "API requests by verb and status code.");
  readonly requestSeconds = new Histogram(
    "rest_client_request_duration_seconds",
    "How long API requests took, by verb.",
  );
  readonly reconciles = new Counter("controller_reconcile_total", "Reconciles by controller and result.");
  readonly reconcileSeconds = new Histogram(
    "controller_reconcile_duration_seconds",
    "How long a reconcile took.",
  );
  readonly queueDepth = new Gauge("workqueue_depth", "Keys that wait for a worker.");
  readonly queueAdds = new Counter("workqueue_adds_total", "Keys that were added.");
  readonly queueRetries = new Counter(
    "workqueue_retries_total",
    "Keys that were added again after a failure.",
  );
  readonly queueSeconds = new Histogram(
    "workqueue_queue_duration_seconds",
    "How long a key waited for a worker.",
  );
  readonly cacheObjects = new Gauge("cache_objects", "Objects in the cache, by resource.");
  readonly cacheEvents = new Counter("cache_events_total", "Events from watches, by resource and type.");
  readonly lists = new Counter("cache_lists_total", "Full lists, by resource and why.");
  readonly watches = new Counter("cache_watch_starts_total", "Watches that were started, by resource.");
  readonly watchFailures = new Counter(
    "cache_watch_failures_total",
    "Lists and watches that failed, by resource.",
  );
  readonly leader = new Gauge("leader_election_master_status", "1 while this process leads.");
  readonly recordedEvents = new Counter("events_total", "Kubernetes events by result.");
  readonly #families: Family[];

  constructor() {
    this.#families = [
      this.requests,
      this.requestSeconds,
      this.reconciles,
      this.reconcileSeconds,
      this.queueDepth,
      this.queueAdds,
      this.queueRetries,
      this.queueSeconds,
      this.cacheObjects,
      this.cacheEvents,
      this.lists,
      this.watches,
      this.watchFailures,
      this.leader,
      this.recordedEvents,
      ...processMetrics(),
    ];
  }

  /** Adds a metric of one's own. */
  register(family: Counter | Gauge | Histogram): void {
    this.#families.push(family);
  }

  /** The text that Prometheus reads. */
  render(): string {
    return `${this.#families.flatMap((family) => family.render()).join("\n")}\n`;
  }
}

function processMetrics(): Family[] {
  const started = Date.now() / 1000 - process.uptime();
  const gauge = (name: string, help: string, read: () => number): Gauge => {
    const made = new Gauge(name, help);
    made.source({}, read);
    return made;
  };
  return [
    gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss()),
    gauge("nodejs_heap_size_used_bytes", "Used heap.", () => process.memoryUsage().heapUsed),
    gauge("process_start_time_seconds", "When the process started.", () => started),
    gauge("process_cpu_seconds", "Processor time that was used.", () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    }),
  ];
}

function seriesOf(all: Map<string, Series>, labels: Labels): Series {
  const key = keyOf(labels);
  let series = all.get(key);
  if (series === undefined) {
    series = { labels, value: 0 };
    all.set(key, series);
  }
  return series;
}

function keyOf(labels: Labels): string {
  let key = "";
  for (const name in labels) key += `${name}\0${labels[name] ?? ""}\0`;
  return key;
}

function header({ name, help }: { name: string; help: string }, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function lines(name: string, series: Iterable<Series>): string[] {
  return Array.from(series, ({ labels, value }) => line(name, labels, value));
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(String(text))}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

function escapeLabel(text: string): string {
  return text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}
