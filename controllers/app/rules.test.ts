import { joinRules } from "./rules";

test("a wildcard is refused wherever it stands", () => {
  const plain = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
  for (const wild of [{ apiGroups: ["*"] }, { resources: ["pods/*"] }, { verbs: ["*"] }])
    expect(() => joinRules([{ ...plain, ...wild }])).toThrow(/name each one instead/);
});

test("rules about the same resource become one, and resources with the same verbs too", () => {
  expect(
    joinRules([
      { apiGroups: [""], resources: ["pods"], verbs: ["watch", "get"] },
      { apiGroups: [""], resources: ["nodes", "pods"], verbs: ["list", "get", "watch"] },
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["a"], verbs: ["get"] },
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
    ]),
  ).toEqual([
    { apiGroups: [""], resources: ["nodes", "pods"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["secrets"], resourceNames: ["a"], verbs: ["get"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
  ]);
});
