import { transformProblems } from "./transforms";

test.each([
  [{}],
  [
    {
      cluster: { rke: { instance: { monitoring: true }, targetGroup: () => {} } },
      resources: [() => undefined],
    },
  ],
  [{ cluster: { bastion: { instance: { monitoring: true } } } }],
])("%o is fine", (given) => {
  expect(transformProblems(given)).toEqual([]);
});

test.each([
  [undefined, "transforms.ts", /not set: export default an object/],
  [{ resource: [] }, "resource", /did you mean resources/],
  [{ resources: [{}] }, "resources", /a list of functions/],
  [{ cluster: { eks: {} } }, "cluster.eks", /unknown setting/],
  [{ cluster: { rke: { instance: true } } }, "cluster.rke.instance", /properties, or a function/],
  [{ cluster: { rke: () => {} } }, "cluster.rke", /properties, or a function/],
])("%o is refused with what to write", (given, path, message) => {
  expect(transformProblems(given)).toEqual([{ path, message: expect.stringMatching(message) as string }]);
});
