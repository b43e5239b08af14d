/**
 * What the suite of the images stands on: a registry on loopback, and containers without a container engine: an image
 * that was pulled, unpacked, and entered by chroot, a foreign one through qemu's user emulation.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually, repositoryRoot, TestBedError } from "../control-plane/index.ts";

export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Names of Keelson's, of the OCI platform, and of the emulator. */
export const ARCHITECTURES = [
  { name: "amd64", platform: ["amd64", ""], emulator: "qemu-x86_64-static", node: "x64" },
  { name: "arm", platform: ["arm", "v7"], emulator: "qemu-arm-static", node: "arm" },
  { name: "arm64", platform: ["arm64", ""], emulator: "qemu-aarch64-static", node: "arm64" },
  { name: "ppc64le", platform: ["ppc64le", ""], emulator: "qemu-ppc64le-static", node: "ppc64" },
  { name: "s390x", platform: ["s390x", ""], emulator: "qemu-s390x-static", node: "s390x" },
] as const;

export type Architecture = (typeof ARCHITECTURES)[number];

/** Runs a program to its end; a failure is a result too. */
export async function run(
  program: string,
  args: readonly string[],
  {
    env = {},
    timeoutMs = 600_000,
  }: { readonly env?: Readonly<Record<string, string>>; readonly timeoutMs?: number } = {},
): Promise<Finished> {
  // A make that runs the tests must not have its say in the ones that they run.
  const { MAKEFLAGS, MFLAGS, MAKELEVEL, ...inherited } = process.env;
  const options = { env: { ...inherited, ...env }, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 };
  try {
    return { exitCode: 0, ...(await promisify(execFile)(program, args, { ...options, cwd: repositoryRoot })) };
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== "number") throw error;
    return { exitCode: code, stdout, stderr };
  }
}

/** The same, where anything but success is a fault of the bed. */
export async function mustRun(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const finished = await run(program, args, { env });
  if (finished.exitCode === 0) return finished.stdout;
  throw new TestBedError(`${program} ${args.join(" ")}: exit code ${finished.exitCode}: ${finished.stderr}`);
}

/** Why this machine cannot build and run the images; undefined where it can. */
export async function obstacle(): Promise<string | undefined> {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return "containers are entered by chroot: root on Linux only";
  const { exitCode, stderr } = await run(join(repositoryRoot, "tools/image-tools"), []);
  return exitCode === 0 ? undefined : stderr.trim();
}

export class Registry {
  readonly address: string;
  readonly #server: ChildProcess;
  readonly #directory: string;

  private constructor(address: string, server: ChildProcess, directory: string) {
    this.address = address;
    this.#server = server;
    this.#directory = directory;
  }

  /** Debian's docker-registry, empty, on a loopback port of its own. */
  static async start(): Promise<Registry> {
    const directory = mkdtempSync(join(tmpdir(), "keelson-registry-"));
    const address = `127.0.0.1:${await freePort()}`;
    const configuration = join(directory, "config.yml");
    const storage = { filesystem: { rootdirectory: join(directory, "data") } };
    writeFileSync(
      configuration,
      JSON.stringify({ version: "0.1", log: { level: "error" }, storage, http: { addr: address } }),
    );
    const server = spawn("docker-registry", ["serve", configuration], { stdio: "ignore" });
    await eventually("the registry answers", async () => (await fetch(`http://${address}/v2/`)).ok);
    return new Registry(address, server, directory);
  }

  stop(): void {
    this.#server.kill("SIGKILL");
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** A loopback port that nothing listens on now. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

interface ImageConfiguration {
  readonly architecture: string;
  readonly variant?: string;
  readonly config: {
    readonly User?: string;
    readonly Env: readonly string[];
    readonly Entrypoint?: readonly string[];
    readonly Cmd?: readonly string[];
    readonly Labels: Readonly<Record<string, string>>;
  };
}

/** An image as a registry handed it out, unpacked. */
export interface Container {
  readonly root: string;
  readonly digest: string;
  readonly compressedBytes: number;
  readonly image: ImageConfiguration;
  readonly architecture: Architecture;
}

/** Pulls what the reference is for the architecture, and unpacks it into a folder. */
export async function pull(reference: string, architecture: Architecture, folder: string): Promise<Container> {
  const [arch, variant] = architecture.platform;
  const platform = [`--override-arch=${arch}`, ...(variant === "" ? [] : [`--override-variant=${variant}`])];
  const layout = `${folder}.oci`;
  await mustRun("skopeo", [
    ...platform,
    "copy",
    "--quiet",
    "--src-tls-verify=false",
    `docker://${reference}`,
    `oci:${layout}:it`,
  ]);
  return unpack(folder, architecture);
}

/** Unpacks the OCI layout FOLDER.oci into the folder. */
export async function unpack(folder: string, architecture: Architecture): Promise<Container> {
  const layout = `${folder}.oci`;
  const blob = (digest: string) => join(layout, "blobs", digest.replace(":", "/"));
  const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
  const [{ digest }] = read(join(layout, "index.json")).manifests;
  const manifest = read(blob(digest));
  mkdirSync(folder, { recursive: true });
  let compressedBytes = 0;
  for (const layer of manifest.layers as readonly { digest: string; size: number }[]) {
    await mustRun("tar", ["--extract", "--gzip", "--same-owner", "--file", blob(layer.digest), "--directory", folder]);
    compressedBytes += layer.size;
  }
  if (architecture.node !== process.arch) {
    mkdirSync(join(folder, "run/emulator"));
    copyFileSync(await whereIs(architecture.emulator), join(folder, "run/emulator/qemu"));
  }
  return { root: folder, digest, compressedBytes, image: read(blob(manifest.config.digest)), architecture };
}

const whereIs = async (program: string): Promise<string> =>
  (await mustRun("sh", ["-c", `command -v ${program}`])).trim();

/**
 * Runs a program of the image in it, as its user, with its environment and nothing else, on a root that is mounted
 * read-only unless `writable` says otherwise.
 */
export function enter(
  { root, image, architecture }: Container,
  command: readonly string[],
  { writable = false, env = [] }: { readonly writable?: boolean; readonly env?: readonly string[] } = {},
): readonly [string, readonly string[]] {
  const emulator = architecture.node === process.arch ? [] : ["/run/emulator/qemu"];
  const user = image.config.User === undefined ? [] : [`--userspec=${image.config.User}`];
  const mounts = `mount --bind "$0" "$0" && mount -o remount,bind,${writable ? "rw" : "ro"} "$0" && exec env --ignore-environment "$@"`;
  const inside = ["chroot", ...user, root, ...emulator, ...command];
  return ["unshare", ["--mount", "sh", "-c", mounts, root, ...image.config.Env, ...env, ...inside]];
}

/** Every path with its mode, owner, link or content, without what the emulator adds. */
export const listing = (root: string): Promise<string> =>
  mustRun("sh", [
    "-c",
    `cd "$0" && find . -path ./run/emulator -prune -o -path ./run -prune -o -printf '%p %y %m %U:%G %l\\n' | sort &&
     find . -path ./run -prune -o -type f -print0 | sort -z | xargs -0 sha256sum`,
    root,
  ]);

export interface DockerfileBuild {
  readonly target: string;
  readonly architecture: Architecture;
  /** Of everything in the image, in seconds since 1970. */
  readonly date: string;
  /** An empty folder for some hundred megabytes. */
  readonly work: string;
  /** Where the image goes. */
  readonly layout: string;
}

/** Builds from the Dockerfile with no help of image/build: as an engine does, but by buildah, on a base made of packages. */
export async function buildByDockerfile(options: DockerfileBuild): Promise<void> {
  const { target, architecture, date, work, layout } = options;
  const sources = join(work, "sources.list");
  writeFileSync(sources, await mustRun("image/packages", ["--repositories"]));
  const base = join(work, "base.tar");
  await mustRun("mmdebstrap", ["--quiet", "--variant=apt", "--mode=root", "trixie", base, sources]);
  const store = ["--storage-driver", "vfs", "--root", join(work, "storage"), "--runroot", join(work, "run")];
  const buildah = (...args: readonly string[]) =>
    mustRun("buildah", [...store, ...args], { BUILDAH_ISOLATION: "chroot" });
  const container = (await buildah("from", "scratch")).trim();
  await buildah("add", "--quiet", container, base, "/");
  await buildah("commit", "--quiet", container, "localhost/base");
  const values = { BASE: "localhost/base", BUILDPLATFORM: "linux/amd64", SOURCE_DATE_EPOCH: date, VERSION: "v0" };
  const [arch, variant] = architecture.platform;
  await buildah(
    "build",
    "--quiet",
    "--layers=false",
    `--platform=linux/${arch}${variant === "" ? "" : `/${variant}`}`,
    ...Object.entries(values).map(([name, value]) => `--build-arg=${name}=${value}`),
    `--target=${target}`,
    "--file=image/Dockerfile",
    "--tag=it",
    ".",
  );
  await buildah("push", "--quiet", "it", `oci:${layout}:it`);
}
