import { apis } from "./apis/controller";
import { clusters } from "./clusters/controller";
import type { HubController } from "./controller-context";
import { pins } from "./pins/controller";
import { push } from "./push/controller";
import { registration } from "./registration/controller";

/** Every controller of the hub, in the order of `--help`. */
export const CONTROLLERS: readonly HubController[] = [clusters, registration, apis, pins, push];
