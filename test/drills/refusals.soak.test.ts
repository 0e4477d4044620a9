import { CreateSnapshotCommand, DescribeVolumesCommand } from "@aws-sdk/client-ec2";
import { rm } from "node:fs/promises";
import { clientsFor } from "../../sandbox/aws/clients";
import { startCloud, type Cloud } from "../../sandbox/cloud/cloud";
import { DEFAULT_RELEASE } from "../../sandbox/machines/rke2";
import { describeMachines, testCloudFolder } from "../../sandbox/machines/testing/machine-host";
import { ClusterProgram } from "../harness/cluster-program";

/** Volumes that a server must not start with, on real machines and through the program. */
describeMachines("a state volume", () => {
  const dir = testCloudFolder();
  let cloud: Cloud;
  let program: ClusterProgram;
  jest.setTimeout(900_000);

  beforeAll(async () => {
    cloud = await startCloud({ dir, rke2: [DEFAULT_RELEASE] });
    const { machineHost, endpoint, aws } = cloud;
    if (machineHost === undefined) throw new Error(cloud.reason);
    program = await ClusterProgram.open({ ...aws.environment, AWS_ENDPOINT_URL: endpoint }, (argv) =>
      machineHost.command(argv),
    );
  });
  afterAll(async () => {
    await program.close();
    await cloud.stop();
    await rm(dir, { recursive: true, force: true });
  });

  /** A cluster of one server. */
  const single = (selfManaged: Record<string, unknown>, servers: Record<string, unknown> = {}): object => ({
    version: DEFAULT_RELEASE,
    network: { nat: "none", privateEndpoints: false, flowLogs: false, zones: 1 },
    selfManaged: {
      ...selfManaged,
      hardening: { cis: false },
      snapshotVolumes: false,
      release: { url: "http://169.254.169.251:8080" },
      servers: { count: 1, instanceType: "t3.medium", volumeSize: 2, retain: false, ...servers },
    },
  });
  const up = async (): Promise<string> => {
    const { code, stdout } = await program.attempt(["up", "--yes", "--skip-preview"]);
    return `${code ?? "killed"} ${stdout}`;
  };

  test("that is blank is refused without the one-time permission, and taken with it", async () => {
    await program.describe(single({}), "one");
    expect(await up()).toMatch(
      /^[^0][^]*Refused: the state volume vol-\w+ of server-0 is blank, and a member of cluster\/dev\/one must not start without its data\. For a new cluster set bootstrap: true/,
    );
    await program.describe(single({ bootstrap: true }), "one");
    expect(await up()).toMatch(/^0 [^]*one-server-0 is well with RKE2/);
  });

  test("of another cluster is refused, with its owner's name", async () => {
    const aws = clientsFor(cloud.aws.endpoint, cloud.aws.region);
    const { Volumes } = await aws.ec2.send(
      new DescribeVolumesCommand({ Filters: [{ Name: "tag:fleetwright.dev/member", Values: ["server-0"] }] }),
    );
    const { SnapshotId = "" } = await aws.ec2.send(
      new CreateSnapshotCommand({ VolumeId: Volumes?.[0]?.VolumeId }),
    );
    aws.close();
    await program.run(["destroy", "--yes", "--skip-preview"]);
    const copy = { volumeSnapshotIds: { "server-0": SnapshotId } };
    await program.describe(single({ bootstrap: true }, copy), "two");
    expect(await up()).toMatch(
      /^[^0][^]*Refused: the volume vol-\w+ belongs to server-0 of cluster\/dev\/one, not to server-0 of cluster\/dev\/two\. Attach the right volume\./,
    );
  });
});
