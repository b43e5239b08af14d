import { randomUUID } from "node:crypto";
import type { Clock } from "../../async/index.ts";
import { isKeelsonError } from "../../errors/index.ts";
import type { KubeClient, ReflectorEvent } from "../../kube/index.ts";
import type { SetNames } from "./identity.ts";
import { type OwnConfigMap, pollOwn, watchOwn, writeOwn } from "./own-config-map.ts";

/** Annotations of the status ConfigMap. */
const ASKED = "keelson.dev/asked";
const ANSWERED = "keelson.dev/answered";

/** A daemon that watches answers within milliseconds. */
const ANSWER_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 100;

/** Of which cluster and set. */
export interface LivenessPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly names: SetNames;
}

/**
 * Answers who asks, in the status ConfigMap, whether anybody still acts for the set. In steady state a status is not
 * written, so that its age tells nothing; a heartbeat would cost writes for ever, a question costs two when it is put.
 */
export function answerQuestion(
  { client, names }: Pick<LivenessPorts, "client" | "names">,
  { annotations }: OwnConfigMap,
  signal: AbortSignal,
): void {
  const asked = annotations[ASKED];
  if (asked === undefined || annotations[ANSWERED] === asked) return;
  const write = { annotations: { [ANSWERED]: asked }, manager: `${names.manager}-status`, signal };
  writeOwn(client, names.statusConfigMap, write).catch(() => {});
}

/** Asks whether anybody acts for the set; undefined where we may not ask. The status ConfigMap must be there. */
export async function askForAnswer(
  { client, clock, names }: LivenessPorts,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const question = randomUUID();
  const { statusConfigMap } = names;
  try {
    await writeOwn(client, statusConfigMap, {
      annotations: { [ASKED]: question },
      manager: `${names.manager}-cli`,
      signal,
    });
    const look = (own: OwnConfigMap | undefined): true | undefined =>
      own?.annotations[ANSWERED] === question ? true : undefined;
    const poll = { name: statusConfigMap, look, everyMs: LOOK_EVERY_MS, withinMs: ANSWER_WITHIN_MS };
    return (await pollOwn({ client, clock }, poll, signal)) === true;
  } catch (error) {
    if (isKeelsonError(error, "Forbidden")) return undefined;
    throw error;
  }
}

/** Calls `onStatus` with the text of a set's status, now and after each change, until `signal` fires. */
export async function watchStatusText(
  { client, clock, names }: LivenessPorts,
  onStatus: (own: OwnConfigMap | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  let isThere = false;
  const onEvent = (event: ReflectorEvent<OwnConfigMap>): void => {
    if (event.kind === "upsert") {
      isThere = true;
      onStatus(event.record);
    }
    if (event.kind === "delete" || (event.kind === "synced" && !isThere)) onStatus(undefined);
  };
  await watchOwn({ client, clock }, { name: names.statusConfigMap, onEvent }, signal);
}
