import { readFileSync } from "node:fs";
import { AnalyzerService } from "@pulumi/pulumi/proto/analyzer_grpc_pb";
import { AnalyzerStackConfigureRequest } from "@pulumi/pulumi/proto/analyzer_pb";
import { receiveStackConfiguration } from "./stack-configuration";
import { addedService } from "./testing/added-service";

test("is needed: the SDK does not read the stack's configuration", () => {
  expect(readFileSync(require.resolve("@pulumi/policy/server"), "utf8")).not.toContain("getConfigMap");
});

test("works: policies get it, and the SDK gets the request too", () => {
  const context = receiveStackConfiguration();
  const configureStack = jest.fn();
  const service = addedService(AnalyzerService, { configureStack });
  const request = new AnalyzerStackConfigureRequest();
  request.setStack("staging");
  const config = request.getConfigMap();
  config.set("fleetwright-policy:settings", '{"product-cluster-node-limit":{"most":3}}');
  config.set("fleetwright-policy:exemptions", "none");
  service.configureStack?.handle({ request }, () => {});
  expect(configureStack).toHaveBeenCalled();
  expect(context()).toMatchObject({
    environment: "staging",
    settings: { "product-cluster-node-limit": { most: 3 } },
    errors: [{ message: "exemptions is not a list: write one entry per exemption" }],
  });
});

test("without a configuration there are no exemptions", () => {
  expect(receiveStackConfiguration()()).toMatchObject({ exemptions: [], environment: "" });
});
