import { Metrics } from "./metrics";

test("counters, gauges and histograms are rendered as Prometheus reads them", async () => {
  const metrics = new Metrics();
  metrics.requests.add({ verb: 'a"b\\c\n', code: 200 });
  metrics.requests.add({ verb: 'a"b\\c\n', code: 200 }, 2);
  metrics.queueDepth.source({ name: "q" }, () => 1);
  metrics.queueDepth.source({ name: "q" }, () => 7);
  for (const seconds of [0.001, 0.7, 99]) metrics.reconcileSeconds.observe(seconds, { controller: "c" });
  const lines = (await metrics.render()).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      "# TYPE rest_client_requests_total counter",
      'rest_client_requests_total{verb="a\\"b\\\\c\\n",code="200"} 3',
      'workqueue_depth{name="q"} 7',
      'controller_reconcile_duration_seconds_bucket{le="0.001",controller="c"} 1',
      'controller_reconcile_duration_seconds_bucket{le="1",controller="c"} 2',
      'controller_reconcile_duration_seconds_bucket{le="+Inf",controller="c"} 3',
      'controller_reconcile_duration_seconds_count{controller="c"} 3',
    ]),
  );
  expect(lines.find((line) => line.startsWith("process_resident_memory_bytes "))).toMatch(/ \d+$/);
});

test("a counter is read under exactly its labels", async () => {
  const { lists } = new Metrics();
  lists.add({ resource: "users", why: "first" });
  expect(await lists.value({ resource: "users", why: "first" })).toBe(1);
  expect(await lists.value({ resource: "users", why: "expired" })).toBe(0);
});

test("the names that dashboards use stay", async () => {
  const text = await new Metrics().render();
  expect([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`)).toEqual([
    "rest_client_requests_total counter",
    "rest_client_request_duration_seconds histogram",
    "controller_reconcile_total counter",
    "controller_reconcile_duration_seconds histogram",
    "workqueue_depth gauge",
    "workqueue_adds_total counter",
    "workqueue_retries_total counter",
    "workqueue_queue_duration_seconds histogram",
    "cache_objects gauge",
    "cache_events_total counter",
    "cache_lists_total counter",
    "cache_watch_starts_total counter",
    "cache_watch_failures_total counter",
    "leader_election_master_status gauge",
    "events_total counter",
    "process_resident_memory_bytes gauge",
    "nodejs_heap_size_used_bytes gauge",
    "process_start_time_seconds gauge",
    "process_cpu_seconds gauge",
  ]);
});

test("what is counted for a cluster carries its name, beside what has none", async () => {
  const metrics = new Metrics();
  metrics.requests.add({ verb: "GET", code: 200 });
  metrics.forCluster("east").requests.add({ verb: "GET", code: 200 }, 2);
  metrics.forCluster("west").queueDepth.source({ name: "shares" }, () => 3);
  const text = await metrics.render();
  expect(text).toContain('rest_client_requests_total{verb="GET",code="200"} 1');
  expect(text).toContain('rest_client_requests_total{verb="GET",code="200",cluster="east"} 2');
  expect(text).toContain('workqueue_depth{name="shares",cluster="west"} 3');
  expect(await metrics.forCluster("east").requests.value({ verb: "GET", code: 200 })).toBe(2);
});
