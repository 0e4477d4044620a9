export {
  ApiClient,
  type ApiClientOptions,
  type ApiRequest,
  type PatchType,
  type Preconditions,
  type Query,
  type WriteGuard,
} from "./api-client";
export {
  ApiError,
  ConnectionError,
  isAlreadyExists,
  isConflict,
  isExpired,
  isNotFound,
  type Status,
  type StatusCause,
} from "./api-error";
export { Applier, ApplyConflictError, deleteExactly, type ApplyOptions, type FieldConflict } from "./apply";
export { Backoff, seededRandom, type BackoffOptions, type Random } from "./backoff";
export { Breaker, isOutage, type BreakerOptions } from "./breaker";
export { Cache, type BorrowedInformer } from "./cache";
export { aborted, sleep, systemClock, type Clock } from "./clock";
export { isTrue, setCondition, type Condition } from "./condition";
export {
  Controller,
  type ControllerOptions,
  type Reconcile,
  type ReconcileContext,
  type ReconcileResult,
} from "./controller";
export {
  credentialsOf,
  kubeconfigCredentials,
  type Credentials,
  type CredentialSource,
  type TlsCredentials,
} from "./credentials";
export { Discovery, type Found, type ServedResource } from "./discovery";
export { errorCode, errorMessage } from "../../lib/failure";
export { Finalizer, type Finalization, type FinalizerStep, type StepOutcome } from "./finalizer";
export { Informer, type ChangeListener, type InformerOptions } from "./informer";
export { LeaderElection, NotLeaderError, type LeaderElectionOptions } from "./leader-election";
export { LEASES, type Lease, type LeaseSpec } from "./lease";
export { listInPages, type Selection } from "./list";
export { Logger, silentLogger, type Fields, type Level, type LogOptions } from "./log";
export { equal, isUpToDate } from "./managed-fields";
export { Manager, type ManagerOptions } from "./manager";
export { Metrics, type Labels } from "./metrics";
export {
  apiVersionOf,
  compareVersions,
  isObject,
  isRecord,
  keyOf,
  refOf,
  resourceName,
  resourcePath,
  type FieldSet,
  type KubernetesObject,
  type ManagedFields,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
  type Resource,
} from "./object";
export { ObjectBudget, type BudgetOptions } from "./object-budget";
export { podCredentials, podServer, SERVICE_ACCOUNT_FOLDER } from "./pod-credentials";
export { RateLimiter, type RateLimit } from "./rate-limiter";
export { Recorder, type Occurrence, type RecorderOptions } from "./recorder";
export {
  Reflector,
  type ReflectorOptions,
  type ReflectorState,
  type Replacement,
  type Sink,
} from "./reflector";
export { Server, type Check, type ServerOptions } from "./server";
export { Store, type Change, type IndexFunction } from "./store";
export { dropManagedFields, keepManagedFieldsOf, type Transform } from "./transform";
export { WorkQueue, type GroupOptions, type WorkQueueOptions } from "./work-queue";
