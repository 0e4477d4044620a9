import { GROUP } from "../../../api";
import { systemClock } from "../../runtime";
import { DeletionGuard } from "../deletion-guard";
import { REGISTRIES } from "../kinds";
import { SECRETS } from "../native";
import { ownSelector } from "../ownership";
import type { Part, Workplace } from "../part";
import { namespacesIn, serviceAccountsIn } from "../sources";
import { statusTransform } from "../status";
import { setUpCopies } from "./copies";
import type { Login } from "./credential";
import { loginWith } from "./login";
import { setUpOriginals } from "./originals";
import { CONTROLLER } from "./pull-secret";
import { RegistryScene } from "./scene";

const transform = statusTransform(CONTROLLER);

/** The part with a way to log in; tests give their own. */
export function registriesWith(login: Login): Part {
  return {
    name: CONTROLLER,
    describes: "pull secrets of Registries in every namespace, renewed ahead of time",
    rules: [
      { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"] },
      {
        apiGroups: [""],
        resources: ["secrets"],
        verbs: ["get", "list", "watch", "create", "patch", "delete"],
      },
      { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["get", "list", "watch", "patch"] },
      { apiGroups: [GROUP], resources: ["registries"], verbs: ["get", "list", "watch", "patch"] },
      { apiGroups: [GROUP], resources: ["registries/status"], verbs: ["patch"] },
    ],
    setUp(workplace: Workplace): void {
      const { cache } = workplace.manager;
      const registries = cache.informer(REGISTRIES, { transform });
      const scene = new RegistryScene(
        registries,
        namespacesIn(cache),
        cache.informer(SECRETS, { labelSelector: ownSelector(CONTROLLER) }),
        serviceAccountsIn(cache),
        new DeletionGuard(registries),
      );
      setUpOriginals(workplace, scene, login);
      setUpCopies(workplace, scene);
    },
  };
}

/** Keeps the pull secrets of every Registry in every namespace. */
export const registries: Part = registriesWith(loginWith({ env: process.env, now: () => systemClock.now() }));
