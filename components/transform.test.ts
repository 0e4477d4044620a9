import { transformed } from "./transform";

const args = { size: 20, type: "gp3" };

it("leaves a child as it is without a transform", () => {
  expect(transformed(undefined, "a", args, { protect: true })).toEqual(["a", args, { protect: true }]);
});

it("lays properties over ours", () => {
  expect(transformed({ size: 40 }, "a", args, {})).toEqual(["a", { size: 40, type: "gp3" }, {}]);
});

it("lets a function change arguments and options, without touching the component's own", () => {
  const options = { protect: true };
  const result = transformed<typeof args>(
    (own, opts, name) => {
      own.type = name;
      opts.protect = false;
    },
    "a",
    args,
    options,
  );
  expect(result).toEqual(["a", { size: 20, type: "a" }, { protect: false }]);
  expect([args.type, options.protect]).toEqual(["gp3", true]);
});
