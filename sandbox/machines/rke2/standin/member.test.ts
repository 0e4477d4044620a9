import { checkMembership, nodeNameOf, planMember, voterCondition, type Member } from "./member";

const self = { name: "server-1-00000001", nodeName: "server-1", peerUrl: "https://10.0.2.10:2380" };
const member = (name: string, ip: string, more: Partial<Member> = {}): Member => ({
  id: name,
  name,
  peerUrls: [`https://${ip}:2380`],
  clientUrls: [`https://${ip}:2379`],
  learner: false,
  ...more,
});
const first = member("server-0-aaaaaaaa", "10.0.1.10");
const SERVER = "https://10.0.1.10:9345";

test("a server with data is the member that it was, whatever `server` says", () => {
  expect(planMember(self, { initialized: true, server: SERVER })).toEqual({ kind: "existing" });
});

test("a server without data and without another server forms a new cluster", () => {
  expect(planMember(self, { initialized: false })).toEqual({
    kind: "new",
    cluster: "server-1-00000001=https://10.0.2.10:2380",
  });
});

test("a server without data joins the configured one", () => {
  expect(planMember(self, { initialized: false, server: SERVER, members: [first] })).toEqual({
    kind: "join",
    add: true,
    cluster: "server-0-aaaaaaaa=https://10.0.1.10:2380,server-1-00000001=https://10.0.2.10:2380",
  });
});

test("one that was added before it died is not added twice", () => {
  const nameless = member("", "10.0.2.10", { learner: true });
  expect(planMember(self, { initialized: false, server: SERVER, members: [first, nameless] })).toEqual({
    kind: "join",
    add: false,
    cluster: "server-0-aaaaaaaa=https://10.0.1.10:2380,server-1-00000001=https://10.0.2.10:2380",
  });
});

test("a node that lost its data is refused while its old member is there", () => {
  const old = member("server-1-ffffffff", "10.0.2.10");
  expect(() => planMember(self, { initialized: false, server: SERVER, members: [first, old] })).toThrow(
    "duplicate node name found, please use a unique name for this node: the member server-1-ffffffff",
  );
});

test.each<[string, Member[], boolean]>([
  ["its name and peer URL", [first, member(self.name, "10.0.2.10")], true],
  ["its name at another address", [first, member(self.name, "10.0.2.99")], false],
  ["its address under another name", [first, member("server-1-ffffffff", "10.0.2.10")], false],
  ["neither", [first], false],
])("a cluster that knows %s", (_, members, isMember) => {
  const check = (): void => checkMembership(self, members);
  if (isMember) expect(check).not.toThrow();
  else expect(check).toThrow("expect: server-1-00000001=10.0.2.10");
});

test.each([
  ["server-1-00000001", "server-1"],
  ["ip-10-0-1-10-00000001", "ip-10-0-1-10"],
  ["plain", "plain"],
])("the node of the member %s is %s", (name, node) => expect(nodeNameOf(name)).toBe(node));

test.each([
  [true, "False", "MemberIsLearner"],
  [false, "True", "MemberNotLearner"],
])("a server whose etcd is a learner (%s) has the condition EtcdIsVoter %s", (learner, status, reason) => {
  expect(voterCondition(learner)).toMatchObject({ type: "EtcdIsVoter", status, reason });
});
