import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithControlPlane } from "../control-plane/index.ts";
import { type Embedded, startEmbedded } from "./servers.ts";
import { type Command, kubectl, normalize, type Outcome } from "./transcript.ts";

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: demo, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "nginx:1.27", ports: [{containerPort: 80}]}
`;

const CONFIG = (value: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: demo}
data: {mode: "${value}"}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: demo}
spec: {selector: {app: web}, ports: [{port: 80, name: http}]}
`;

const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.demo.test}
spec:
  group: demo.test
  scope: Namespaced
  names: {plural: boats, kind: Boat, shortNames: [bt]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}, name: {type: string}}}}}}
`;

const BOAT = "apiVersion: demo.test/v1\nkind: Boat\nmetadata: {name: b, namespace: demo}\nspec: {size: 3}\n";

const run = (line: string, input?: string): Command => ({
  arguments: line.split(" "),
  ...(input === undefined ? {} : { input }),
});
/** Names and types only: the embedded server has no descriptions. */
const fieldsOnly = (output: string): string =>
  output
    .split("\n")
    .filter((line) => /^(KIND|VERSION|FIELD|GROUP)|^ +[\w$]+\s+</.test(line))
    .map((line) => line.replace(/ -required-/, ""))
    .join("\n");
const sortedLines = (output: string): string => output.split("\n").sort().join("\n");

/** What a person does with kubectl in an afternoon. */
const COMMANDS: readonly Command[] = [
  run("create namespace demo"),
  run("apply -f -", DEPLOYMENT),
  run("apply -f -", DEPLOYMENT),
  run("apply -f -", DEPLOYMENT.replace("replicas: 2", "replicas: 3").replace("nginx:1.27", "nginx:1.28")),
  run("diff -f -", DEPLOYMENT),
  run("apply --server-side -f -", CONFIG("a")),
  run("apply --server-side -f -", CONFIG("a")),
  run("apply --server-side --field-manager=other -f -", CONFIG("b")),
  run("apply --server-side --field-manager=other --force-conflicts -f -", CONFIG("b")),
  run("diff --server-side --field-manager=other -f -", CONFIG("c")),
  run("-n demo create configmap plain --from-literal=k=v"),
  run("-n demo create secret generic hidden --from-literal=k=v"),
  run("-n demo create serviceaccount robot"),
  run("-n demo create role reader --verb=get,list --resource=pods,services"),
  run("-n demo create rolebinding reader --role=reader --serviceaccount=demo:robot"),
  run("-n demo create job once --image=busybox -- true"),
  run("-n demo create cronjob often --image=busybox --schedule=*/5 * * * *".replace("*/5 * * * *", "@hourly")),
  run("-n demo create quota limit --hard=count/others.demo.test=5"),
  run("-n demo create ingress site --rule=a.test/x=web:80"),
  run("-n demo create poddisruptionbudget web --selector=app=web --min-available=1"),
  run("-n demo create configmap plain --from-literal=k=v"),
  run("-n demo label configmap plain tier=front"),
  run("-n demo annotate configmap plain note=x"),
  run("-n demo label configmap plain tier-"),
  run('-n demo patch configmap plain --type=merge -p {"data":{"k":"2"}}'),
  run(
    '-n demo patch deployment web -p {"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx:2"}]}}}}',
  ),
  run("-n demo set env deployment/web A=1"),
  run("-n demo scale deployment web --replicas=1"),
  run(
    "-n demo get deployment,service,configmap/plain,configmap/settings,secret,role,rolebinding,ingress,pdb,cronjob -o wide",
  ),
  run("-n demo get configmap plain -o yaml"),
  run("-n demo get deployment web -o jsonpath={.spec.template.spec.containers[0].image}"),
  run("-n demo get configmap -l app=none"),
  run("-n demo get configmap nothing"),
  { ...run("-n demo edit configmap plain"), editor: "sed -i 's/k: .*/k: edited/'" },
  { ...run("-n demo edit configmap plain"), editor: "true" },
  { ...run("-n demo edit configmap plain"), editor: "sed -i '/^data:/,$d'" },
  run("-n demo get configmap plain -o jsonpath={.data}"),
  { ...run("-n demo edit deployment web"), editor: "sed -i 's/replicas: .*/replicas: 2/'" },
  run("-n demo create configmap seen --from-literal=a=1"),
  {
    ...run("-n demo get configmap seen --watch --output-watch-events --request-timeout=5s"),
    meanwhile: [
      run("-n demo label configmap seen tier=front"),
      run('-n demo patch configmap seen --type=merge -p {"data":{"b":"2"}}'),
      run("-n demo delete configmap seen"),
    ],
  },
  {
    ...run("-n demo get deployment web -o name --watch --request-timeout=5s"),
    meanwhile: [run("-n demo annotate deployment web note=seen")],
    // The controllers of the real cluster write its status, too.
    keep: (output) => [...new Set(output.split("\n"))].join("\n"),
  },
  run("-n demo describe configmap settings"),
  run("-n demo describe service web"),
  run("-n demo describe ingress site"),
  run("apply -f -", DEFINITION),
  run("wait --for=condition=Established crd/boats.demo.test --timeout=20s"),
  run("apply -f -", BOAT),
  run("apply -f -", BOAT.replace("size: 3", "size: 4")),
  run("apply -f -", BOAT.replace("size: 3", "size: big")),
  run("-n demo get boats,bt"),
  { ...run("explain boat.spec"), keep: fieldsOnly },
  { ...run("explain deployment.spec.strategy"), keep: fieldsOnly },
  { ...run("explain service.spec.ports"), keep: fieldsOnly },
  { ...run("api-resources -o name"), keep: sortedLines },
  { ...run("api-versions"), keep: sortedLines },
  run("auth can-i create pods"),
  run("apply -f -", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: typo, namespace: demo}\ndatas: {}\n"),
  run("apply -f -", "apiVersion: nowhere.test/v1\nkind: Nothing\nmetadata: {name: x}\n"),
  run("-n demo delete configmap plain"),
  run("-n demo delete deployment web --cascade=background"),
  run("-n demo wait --for=delete deployment/web --timeout=20s"),
  run("delete crd boats.demo.test"),
  run("-n demo get deployment"),
];

describeWithControlPlane("kubectl", (plane) => {
  let embedded: Embedded;
  let folder: string;
  let own: string;

  beforeAll(async () => {
    embedded = await startEmbedded();
    folder = await mkdtemp(join(tmpdir(), "keelson-kubectl-"));
    own = join(folder, "kubeconfig");
    await writeFile(own, embedded.server.kubeconfig);
  });

  afterAll(async () => {
    await embedded.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("prints on the embedded API server what it prints on the real one", async (context) => {
    const probe = await kubectl(own, run("version --client -o json")).catch(() => undefined);
    if (probe === undefined) context.skip("there is no kubectl on PATH");
    const real = plane().kubeconfigFor("admin");

    const [ours, theirs] = await Promise.all([transcript(own), transcript(real)]);

    expect(ours).toEqual(theirs);
  }, 300_000);
});

async function transcript(kubeconfig: string): Promise<readonly Outcome[]> {
  const out: Outcome[] = [];
  for (const command of COMMANDS) {
    const { exitCode, output, command: text } = await kubectl(kubeconfig, command);
    out.push({ command: text, exitCode, output: normalize(command.keep?.(output) ?? output) });
  }
  return out;
}
