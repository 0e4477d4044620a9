import { Counter, Gauge, Histogram } from "./metrics";

test("counters, gauges and histograms are rendered as Prometheus reads them", () => {
  const counter = new Counter("c_total", "Counts.");
  counter.add({ code: 200, path: 'a"b\\c\n' });
  counter.add({ code: 200, path: 'a"b\\c\n' }, 2);
  expect(counter.render()).toEqual([
    "# HELP c_total Counts.",
    "# TYPE c_total counter",
    'c_total{code="200",path="a\\"b\\\\c\\n"} 3',
  ]);
  const gauge = new Gauge("g", "Measures.");
  gauge.source({}, () => 7);
  expect(gauge.render().at(-1)).toBe("g 7");
  const histogram = new Histogram("h", "Spreads.", [1, 2]);
  for (const value of [0.5, 1, 1.5, 9]) histogram.observe(value);
  expect(histogram.render().slice(2)).toEqual([
    'h_bucket{le="1"} 2',
    'h_bucket{le="2"} 3',
    'h_bucket{le="+Inf"} 4',
    "h_sum 12",
    "h_count 4",
  ]);
});
