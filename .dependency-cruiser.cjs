// Which folder of src/ may import which. The table is design; the rules are made from it.

/** Folder: the folders that it may import, beside itself. */
const layer0 = ["errors", "async"];
const layer1 = [...layer0, "object", "gotemplate", "log", "metrics"];
const layer2 = [...layer1, "kube", "manifest", "readiness"];
const layer3 = [...layer2, "converge", "history", "leader-election"];
const layer4 = [...layer3, "controllers/addon", "controllers/sriov-operator-config"];
const layer6 = [...layer4, "http", "apiserver"];

const LAYERS = {
  errors: [],
  async: ["errors"],
  object: layer0,
  gotemplate: layer0,
  // Neighbours within a layer may not import each other, unless said here.
  log: layer0,
  metrics: layer0,
  kube: layer1,
  manifest: layer1,
  readiness: layer1,
  converge: layer2,
  history: layer2,
  "leader-election": layer2,
  "controllers/addon": layer3,
  "controllers/sriov-operator-config": layer3,
  // The rest of what it needs comes through ports that it declares.
  http: layer1,
  // What other programs may import: no election, no wiring of a daemon.
  library: [...layer4, "apiserver"],
  daemon: layer6,
  cli: [...layer6, "daemon"],
  // The embedded API server is the oracle of tests: it shares no code with the client.
  apiserver: ["errors", "async", "object", "log"],
};

// All npm packages are devDependencies: the published package needs none, as what the program uses is in its bundles.
const BUNDLED = ["commander", "diff", "js-yaml", "picocolors", "pino", "prom-client"];

const TESTS = "[.](test|case)[.]ts$";

const layerRules = Object.entries(LAYERS).map(([folder, allowed]) => ({
  name: `layer-${folder.replace("/", "-")}`,
  severity: "error",
  comment: `src/${folder} may import: ${allowed.join(", ") || "no other folder"} (see .dependency-cruiser.cjs)`,
  from: { path: `^src/${folder}/`, pathNot: TESTS },
  to: { path: "^src/", pathNot: `^src/(${[folder, ...allowed].join("|")})/` },
}));

const indexRules = Object.keys(LAYERS).map((folder) => ({
  name: `index-only-${folder.replace("/", "-")}`,
  severity: "error",
  comment: `Other folders import src/${folder} through its index.ts alone, which is its public interface.`,
  from: { path: "^src/", pathNot: `^src/${folder}/` },
  to: { path: `^src/${folder}/`, pathNot: `^src/${folder}/index[.]ts$` },
}));

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...layerRules,
    ...indexRules,
    {
      name: "known-folder",
      severity: "error",
      comment: "A new folder of src/ takes its place in the table first.",
      from: { path: "^src/", pathNot: `^src/(${Object.keys(LAYERS).join("|")})/` },
      to: {},
    },
    {
      name: "no-cycles",
      severity: "error",
      comment: "Cycles, also of types alone, hide which part rests on which.",
      from: { path: "^src/" },
      to: { circular: true },
    },
    {
      name: "no-unresolvable",
      severity: "error",
      comment: "An import that leads nowhere would escape every other rule.",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "no-dev-dependencies",
      severity: "error",
      comment: "The bundles contain these packages alone (docs/adr/0003-dependencies.md).",
      from: { path: "^src/", pathNot: TESTS },
      to: {
        path: "^node_modules/",
        pathNot: `^node_modules/(${BUNDLED.join("|")})/`,
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "no-test-code",
      severity: "error",
      comment: "The program does not import tests or what serves them.",
      from: { path: "^src/", pathNot: TESTS },
      to: { path: [TESTS, "^test/", "^tools/", "^bench/"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // Imports of types count too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
    moduleSystems: ["es6", "cjs"],
  },
};
