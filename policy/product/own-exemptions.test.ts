import { HOST_PATHS, CAPABILITIES, HOST_NAMESPACES } from "../../api/agent-pod-requirements";
import { policies } from "../policies";
import { OWN_EXEMPTIONS } from "./own-exemptions";

it.each(OWN_EXEMPTIONS.map((exemption) => [`${exemption.policy} ${exemption.resource}`, exemption] as const))(
  "%s: names an existing policy, a type that it evaluates and a component, and has a reason",
  (_, { policy, resource, component, reason, expires }) => {
    const { types = [] } = policies.find(({ name }) => name === policy) ?? {};
    expect(types).toContain(resource.split("::")[0]);
    expect(component).toMatch(/^fleetwright:index:[A-Z]\w+$/);
    expect(reason.length).toBeGreaterThan(20);
    expect(expires).toBeUndefined();
  },
);

it("allows the agent exactly what its pod needs", () => {
  const agent = (policy: string) =>
    OWN_EXEMPTIONS.find((one) => one.policy === policy && one.component === "fleetwright:index:Agent");
  expect(agent("kubernetes-pod-no-host-path")?.values).toEqual(HOST_PATHS.map(({ path }) => path));
  expect(agent("kubernetes-pod-drops-capabilities")?.values).toEqual(CAPABILITIES);
  expect(agent("kubernetes-pod-no-host-namespaces")?.properties).toEqual(
    Object.keys(HOST_NAMESPACES).map((key) => `spec.template.spec.${key}`),
  );
});
