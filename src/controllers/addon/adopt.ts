import { systemClock } from "../../async/index.ts";
import { type DesiredObject, type DesiredSet, resolveDesired } from "../../converge/index.ts";
import { isAborted, isKeelsonError, KeelsonError, messageOf } from "../../errors/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import { ChangeLog, type Logger } from "../../log/index.ts";
import type { Source } from "../../manifest/index.ts";
import {
  describeRef,
  entryOf,
  guardedPatch,
  type JsonPatchOperation,
  jsonPointer,
  type KubeObject,
  refKey,
  refOf,
  stringifyJson,
  takeApplyEntry,
} from "../../object/index.ts";
import { type ForeignSet, findForeignSet, listMembers, type Member } from "./adopt-source.ts";
import { inventoryOf, parentRefOf, TOOLING_ANNOTATION } from "./applyset.ts";
import { ApplySetKeeper } from "./applyset-keeper.ts";
import { desiredAddons } from "./desired.ts";
import { APPLYSET_PART_OF_LABEL, namesOf } from "./identity.ts";
import type { AdoptedReport, AdoptReport, ProblemReport } from "./reports.ts";

/** What an adoption is handed. */
export interface AdoptPorts {
  readonly client: KubeClient;
  readonly log: Logger;
  readonly source: Pick<Source, "load">;
}

/** What is adopted, and how. */
export interface AdoptOptions {
  /** Of kubectl's parent: `KIND/NAME`, or the name of a Secret. */
  readonly parent: string;
  /** Manager of the server-side applies that made the members; kubectl's own is `kubectl`. */
  readonly fieldManager: string;
  /** Where the parent is; undefined: the client's namespace. */
  readonly namespace: string | undefined;
  readonly set: string;
  /** Name and version of this program. */
  readonly tooling: string;
  /** Nothing is written. */
  readonly isDryRun: boolean;
}

interface Planned {
  readonly member: Member;
  readonly report: AdoptedReport;
}

const MAX_ATTEMPTS = 4;

/**
 * Takes over the members of an ApplySet of kubectl's that the directory declares: the fields that kubectl applied become
 * ours, so that one that leaves the manifest leaves the object, and the label names our set. The parent names us as its
 * tooling first, so that from then on kubectl refuses to apply and to prune; what it says of its other members stays.
 * Deletes nothing, and may be repeated.
 *
 * @throws KeelsonError `Refused`, with nothing written: it is not kubectl's, its id does not fit, its members cannot be
 * listed or were applied by another manager, or the directory declares none of them; `NotFound` where there is no parent
 */
export async function adoptPass(ports: AdoptPorts, options: AdoptOptions, signal: AbortSignal): Promise<AdoptReport> {
  const { client, log, source } = ports;
  const { set, tooling, isDryRun, fieldManager: from } = options;
  const names = namesOf(set);
  const foreign = await findForeignSet(client, options, signal);
  const keeper = new ApplySetKeeper({ client, clock: systemClock, said: new ChangeLog(log), names, tooling });
  await keeper.open(signal);
  if (keeper.problem !== undefined) throw new KeelsonError("Refused", keeper.problem);
  const { desired, problems } = await declaredBy(source, { client, applySet: keeper.id, signal });
  const { members, unserved } = await listMembers(client, foreign, signal);
  const planned = members.map((member) => plannedOf(member, desired));
  for (const each of planned) requireManager(each, from);
  if (planned.every(({ report }) => report.action === "leave")) throw nothingDeclared(foreign, members.length);
  const done = isDryRun
    ? planned.map(({ report }) => report)
    : await takeAll(planned, { client, keeper, foreign, tooling, from, manager: names.manager, signal });
  return {
    parent: foreign.ref,
    id: foreign.id,
    tooling: foreign.tooling,
    into: { set, parent: parentRefOf(names), id: keeper.id },
    isDryRun,
    members: done,
    problems: [...problems, ...unserved],
  };
}

async function declaredBy(
  source: AdoptPorts["source"],
  of: { readonly client: KubeClient; readonly applySet: string; readonly signal: AbortSignal },
): Promise<{ readonly desired: DesiredSet; readonly problems: readonly ProblemReport[] }> {
  const { client, applySet, signal } = of;
  const snapshot = await source.load(signal);
  if (snapshot.state.kind === "missing") {
    throw new KeelsonError("Unreadable", `${snapshot.root}: ${snapshot.state.message}`);
  }
  const { discovery, defaultNamespace } = client;
  const { input } = desiredAddons(snapshot, applySet);
  const desired = await resolveDesired(input, { discovery, defaultNamespace, signal });
  const ofFiles = snapshot.problems.map(({ file, line, message }) => ({ file, line: line ?? 0, message }));
  const remarks = desired.remarks.filter(({ severity }) => severity === "error");
  return { desired, problems: [...ofFiles, ...remarks.map(({ origin, message }) => ({ ...origin, message }))] };
}

function plannedOf(member: Member, desired: DesiredSet): Planned {
  const object = refOf(member.object);
  const declared = desired.objects.get(refKey(object));
  const reason = reasonToLeave(member, declared);
  if (declared === undefined || reason !== undefined) {
    return { member, report: { object, action: "leave", ...(reason === undefined ? {} : { reason }) } };
  }
  const action = declared.mode === "EnsureExists" ? "relabel" : "adopt";
  return { member, report: { object, action, ...declared.origin } };
}

function reasonToLeave({ object }: Member, declared: DesiredObject | undefined): string | undefined {
  if (declared === undefined) return "the directory does not declare it";
  return object.metadata.deletionTimestamp === undefined ? undefined : "it is being deleted";
}

/** With its label moved and its fields left, a member could not be adopted a second time. */
function requireManager({ member: { object }, report }: Planned, from: string): void {
  if (report.action !== "adopt" || entryOf(object, from, "Apply") !== undefined) return;
  const appliers = (object.metadata.managedFields ?? []).flatMap(({ manager, operation, subresource = "" }) =>
    operation === "Apply" && subresource === "" && manager !== undefined ? [manager] : [],
  );
  // Nobody: what a client-side apply holds is taken over by the first apply.
  if (appliers.length === 0) return;
  const message = `${describeRef(report.object)} was applied by ${appliers.join(", ")}, not by ${from}: name the one that kubectl was with --field-manager; nothing was written`;
  throw new KeelsonError("Refused", message);
}

function nothingDeclared({ ref }: ForeignSet, members: number): KeelsonError {
  const message = `${describeRef(ref)}: the directory declares none of its ${members} members: there is nothing to adopt`;
  return new KeelsonError("Refused", message);
}

interface Taking {
  readonly client: KubeClient;
  readonly keeper: ApplySetKeeper;
  readonly foreign: ForeignSet;
  readonly tooling: string;
  readonly from: string;
  readonly manager: string;
  readonly signal: AbortSignal;
}

/** Our parent names the members before they are ours; kubectl is kept off before the first one is. */
async function takeAll(planned: readonly Planned[], taking: Taking): Promise<readonly AdoptedReport[]> {
  const { keeper, signal } = taking;
  const taken = planned.filter(({ report }) => report.action !== "leave");
  await keeper.include(inventoryOf(taken.map(({ report }) => report.object)), signal);
  if (keeper.problem !== undefined) throw new KeelsonError("Refused", keeper.problem);
  await takeParent(taking);
  const reports: AdoptedReport[] = [];
  for (const each of planned) {
    if (each.report.action === "leave") reports.push(each.report);
    else reports.push(await takeMember(each, taking));
  }
  return reports;
}

/** Guarded by the version whose id and tooling were looked at. */
async function takeParent({ client, foreign, tooling, manager, signal }: Taking): Promise<void> {
  const { object, resource, ref } = foreign;
  if (foreign.tooling === tooling) return;
  const path = jsonPointer(["metadata", "annotations", TOOLING_ANNOTATION]);
  const body = stringifyJson(guardedPatch(object, [{ op: "replace", path, value: tooling }]));
  await client.patch(resource, ref, { type: "json", body }, { fieldManager: manager, signal });
}

async function takeMember({ member, report }: Planned, taking: Taking): Promise<AdoptedReport> {
  const { client, keeper, from, manager, signal } = taking;
  const { resource } = member;
  const { uid } = member.object.metadata;
  let live = member.object;
  for (let tries = 1; ; tries += 1) {
    try {
      const patch = guardedPatch(live, memberOperations(live, { from, manager, id: keeper.id, action: report.action }));
      await client.patch(
        resource,
        report.object,
        { type: "json", body: stringifyJson(patch) },
        { fieldManager: manager, signal },
      );
      return report;
    } catch (error) {
      if (isAborted(error)) throw error;
      if (!isKeelsonError(error, "Conflict") || tries >= MAX_ATTEMPTS) return { ...report, error: messageOf(error) };
    }
    try {
      live = await client.get(resource, report.object, { metadataOnly: true, signal });
    } catch (error) {
      if (isAborted(error)) throw error;
      return { ...report, error: messageOf(error) };
    }
    if (live.metadata.uid !== uid) return { ...report, error: "it was deleted and created again meanwhile" };
  }
}

/** What makes a member ours: the entry of kubectl's applies, as far as the object is kept by its manifest, and the label. Pure. */
export function memberOperations(
  live: KubeObject,
  into: {
    readonly from: string;
    readonly manager: string;
    readonly id: string;
    readonly action: AdoptedReport["action"];
  },
): readonly JsonPatchOperation[] {
  const { from, manager, id, action } = into;
  const taken = action === "adopt" ? takeApplyEntry(live, { manager, from }) : undefined;
  const value = taken?.managedFields;
  return [
    ...(value === undefined ? [] : [{ op: "replace", path: "/metadata/managedFields", value } as const]),
    { op: "replace", path: jsonPointer(["metadata", "labels", APPLYSET_PART_OF_LABEL]), value: id },
  ];
}
