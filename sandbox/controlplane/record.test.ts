import { parseRecord, type ControlPlaneRecord } from "./record";

const record: ControlPlaneRecord = {
  name: "x",
  ports: { etcdClient: 1, etcdPeer: 2, apiServer: 3, controllerManager: 4, scheduler: 5, kwok: 6 },
  processes: [{ name: "etcd", pid: 7, started: "boot:8", port: 1, logFile: "/etcd.log" }],
};

test("a record is read as it was written", () => expect(parseRecord(JSON.stringify(record))).toEqual(record));

test.each<[string, string]>([
  ["cut off", JSON.stringify(record).slice(0, 40)],
  ["without a port", JSON.stringify({ ...record, ports: { ...record.ports, kwok: undefined } })],
  ["empty", ""],
])("a damaged record counts as none: %s", (_, text) => expect(parseRecord(text)).toBeUndefined());

test("a process without a start time is never taken for a running one", () => {
  const damaged = { ...record, processes: [{ ...record.processes[0], started: undefined }] };
  expect(parseRecord(JSON.stringify(damaged))?.processes).toEqual([]);
});
