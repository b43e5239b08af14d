/** Label that selects an object's mode (addon manager). */
export const MODE_LABEL = "addonmanager.kubernetes.io/mode";
/** The addon manager's older, deprecated label; only the value `true` counts. */
export const CLUSTER_SERVICE_LABEL = "kubernetes.io/cluster-service";
/** Annotation: `v1:<digest>` of the desired object that was applied. */
export const APPLIED_ANNOTATION = "keelson.dev/applied";
/** Annotation: `disabled` keeps an object from being pruned. */
export const PRUNE_ANNOTATION = "keelson.dev/prune";
/** Annotation in a manifest: `allowed` lets an immutable change delete and create the object. */
export const RECREATE_ANNOTATION = "keelson.dev/recreate";
/** Annotation in a manifest: comma-separated field paths left to others. */
export const IGNORE_FIELDS_ANNOTATION = "keelson.dev/ignore-fields";
/** kubectl's client-side apply annotation. */
export const LAST_APPLIED_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";
/** Label that marks Keelson's own objects, with the value `keelson`. */
export const PART_OF_LABEL = "app.kubernetes.io/part-of";
/** Prefix of all annotations and labels of Keelson. */
export const KEELSON_PREFIX = "keelson.dev/";
