import { readFileSync } from "node:fs";
import path from "node:path";
import {
  describePlan,
  estimate,
  type MachineFacts,
  planMachines,
  stackNeeds,
  toolsFor,
  type WorkItem,
} from "./start-plan";

const DEBOOTSTRAP = { debian: "debootstrap", purpose: "makes the machines' image", signs: ["debootstrap"] };
const RUNC = { debian: "runc", purpose: "starts containers", signs: ["runc"] };
const UNAVAILABLE = { ok: false, reason: "These programs are missing: debootstrap." } as const;
const NO_ROOT = { ok: false, reason: "Machines need root; this process has the user id 1000." } as const;
const NO_LOOP = { ok: false, reason: "There is no /dev/loop-control, so volumes cannot be made." } as const;

const root: MachineFacts = {
  uid: 0,
  debianLike: true,
  mayInstall: true,
  missingPackages: [],
  now: { ok: true },
  withPackages: { ok: true },
};
const bare: MachineFacts = { ...root, missingPackages: [DEBOOTSTRAP], now: UNAVAILABLE };

describe("machines", () => {
  test.each<[string, MachineFacts, object]>([
    ["run where everything is installed", root, { kind: "ready" }],
    [
      "get their packages, as root on Debian",
      { ...bare, missingPackages: [DEBOOTSTRAP, RUNC] },
      { kind: "install", packages: [DEBOOTSTRAP, RUNC] },
    ],
    [
      "are left out with --no-install, and the command that installs is named",
      { ...bare, mayInstall: false },
      {
        kind: "unavailable",
        reason: UNAVAILABLE.reason,
        remedy: "npm run tools -- system --install && npm start",
      },
    ],
    [
      "run with --no-install where only what they can do without is missing",
      { ...root, missingPackages: [RUNC], mayInstall: false },
      { kind: "ready" },
    ],
    [
      "are left out on another distribution, and the packages are named",
      { ...bare, debianLike: false },
      {
        kind: "unavailable",
        reason: UNAVAILABLE.reason,
        remedy: "install debootstrap (as Debian calls them), then npm start",
      },
    ],
    [
      "are left out where something is missing that is in no package of the list",
      { ...root, now: UNAVAILABLE },
      {
        kind: "unavailable",
        reason: UNAVAILABLE.reason,
        remedy: "install what is missing, then npm start",
      },
    ],
    [
      "are left out without root, and nothing is installed",
      { ...bare, uid: 1000, withPackages: NO_ROOT },
      {
        kind: "unavailable",
        reason: NO_ROOT.reason,
        remedy: 'sudo env PATH="$PATH" HOME="$HOME" npm start',
      },
    ],
    [
      "are left out where packages would not help, and nothing is installed",
      { ...bare, withPackages: NO_LOOP },
      {
        kind: "unavailable",
        reason: NO_LOOP.reason,
        remedy: "use a host that has them, and run `npm start` there",
      },
    ],
  ])("%s", (_, facts, plan) => expect(planMachines(facts)).toEqual(plan));
});

describe("a stack", () => {
  const settings = (name: string): string =>
    readFileSync(path.join(__dirname, "..", `Pulumi.${name}.yaml`), "utf8");

  test.each([
    ["dev", { machines: true, controlPlane: false, members: [] }],
    ["existing", { machines: false, controlPlane: true, members: [] }],
    ["fleet", { machines: false, controlPlane: false, members: ["east", "west"] }],
  ])("%s needs %j", (name, needs) => expect(stackNeeds(settings(name))).toEqual(needs));

  test("for a cluster elsewhere needs nothing of the sandbox", () => {
    expect(stackNeeds("config:\n  fleetwright:kubeContext: prod\n")).toEqual({
      machines: false,
      controlPlane: false,
      members: [],
    });
    expect(stackNeeds("")).toEqual({ machines: false, controlPlane: false, members: [] });
  });

  test("on machines needs no kwok, one on simulated nodes no kubelet", () => {
    expect(toolsFor({ machines: true, controlPlane: false })).not.toContain("kwok");
    expect(toolsFor({ machines: true, controlPlane: false })).toContain("coredns");
    expect(toolsFor({ machines: false, controlPlane: true })).not.toContain("kubelet");
  });

  test("needs every tool once", () => {
    const tools = toolsFor({ machines: true, controlPlane: true });
    expect(new Set(tools).size).toBe(tools.length);
  });
});

const item = (title: string, minutes: number, gigabytes = 1, downloadable = true): WorkItem => ({
  title,
  minutes,
  gigabytes,
  downloadable,
});

test.each<[WorkItem[], number, { minutes: number; gigabytes: number }]>([
  [[], 2, { minutes: 0, gigabytes: 0 }],
  [[item("a", 9), item("b", 27, 2.5)], 2, { minutes: 20, gigabytes: 4 }],
  [[item("a", 36)], 4, { minutes: 10, gigabytes: 1 }],
  [[item("a", 36)], 64, { minutes: 5, gigabytes: 1 }],
  [[item("a", 0.1, 0.1)], 2, { minutes: 1, gigabytes: 1 }],
])("an estimate for %j on %d cores is %j", (work, cores, expected) =>
  expect(estimate(work, cores)).toEqual(expected),
);

describe("the first lines of a start", () => {
  const builder = { cores: 2, freeGigabytes: 60, downloads: true };
  const work = [item("etcd", 9), item("coredns", 9, 1, false)];

  test("are none where nothing is missing", () => {
    expect(describePlan({ kind: "ready" }, [], builder)).toEqual([]);
  });

  test("name what is made, how long it takes and how much disk", () => {
    expect(describePlan({ kind: "ready" }, work, builder)).toEqual([
      " • making, once for all sandboxes: etcd; coredns (2)",
      "   about 10 min on 2 cores if all of it is built from source, 5 min if the rest can be downloaded; up to 2 GB of disk (60 GB free)",
    ]);
  });

  test("promise no download where it is off, and warn about a full disk", () => {
    expect(describePlan({ kind: "ready" }, work, { ...builder, downloads: false, freeGigabytes: 1 })).toEqual(
      [
        " • making, once for all sandboxes: etcd; coredns (2)",
        "   about 10 min on 2 cores; up to 2 GB of disk (1 GB free)",
        "   warning: that may not fit into the 1 GB that are free",
      ],
    );
  });

  test("say in one line which packages are installed and why", () => {
    expect(describePlan({ kind: "install", packages: [DEBOOTSTRAP, RUNC] }, [], builder)).toEqual([
      " • installing 2 system packages that machines need: debootstrap (makes the machines' image), runc (starts containers); npm start -- --no-install leaves that to you",
    ]);
  });

  test("say why nodes will be simulated", () => {
    expect(describePlan({ kind: "unavailable", reason: NO_ROOT.reason, remedy: "" }, [], builder)).toEqual([
      ` • no machines, so nodes will be simulated. ${NO_ROOT.reason}`,
    ]);
  });
});
