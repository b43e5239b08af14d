/** The gates that something depends on. Others are kept and shown. */
export type FeatureGate =
  | "parallelNicConfig"
  | "resourceInjectorMatchCondition"
  | "metricsExporter"
  | "manageSoftwareBridges"
  | "mellanoxFirmwareReset";

/** The switches of the config's `spec.featureGates`, shared by whoever asks. Every gate is off before the first config. */
export class FeatureGates {
  #gates: ReadonlyMap<string, boolean> = new Map();

  /** Replaces the whole state. */
  init(gates: Readonly<Record<string, boolean>>): void {
    this.#gates = new Map(Object.entries(gates));
  }

  /** False for a gate that is not named. */
  isEnabled(gate: FeatureGate | (string & {})): boolean {
    return this.#gates.get(gate) === true;
  }

  /** `a:true, b:false` by name; "" where there are none. */
  toString(): string {
    return [...this.#gates]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, isOn]) => `${name}:${isOn}`)
      .join(", ");
  }
}
