import { isJsonObject } from "../../object/index.ts";

/** One supported card: PCI ids in hexadecimal. */
interface NicIds {
  readonly vendor: string;
  readonly pf: string;
  readonly vf: string;
}

/** The network cards that the operator supports (ConfigMap `supported-nic-ids`). */
export class SupportedNics {
  readonly #ids: readonly NicIds[];

  constructor(ids: readonly NicIds[]) {
    this.#ids = ids;
  }

  hasVendor(vendor: string): boolean {
    return this.#ids.some((ids) => ids.vendor === vendor);
  }

  hasDevice(device: string): boolean {
    return this.#ids.some((ids) => ids.pf === device);
  }

  hasModel(vendor: string, device: string): boolean {
    return this.#ids.some((ids) => ids.vendor === vendor && ids.pf === device);
  }

  /** A virtual machine sees the virtual function of a card as a card. */
  hasVfModel(vendor: string, device: string): boolean {
    return this.#ids.some((ids) => ids.vendor === vendor && ids.vf === device);
  }
}

/** Reads the ConfigMap's data: a name each, and `vendor pf vf`. What is malformed supports nothing. */
export function parseSupportedNics(data: unknown): SupportedNics {
  const ids = Object.values(isJsonObject(data) ? data : {}).flatMap((value) => {
    const [vendor, pf, vf, ...rest] = String(value).trim().split(/\s+/);
    return vendor !== undefined && pf !== undefined && vf !== undefined && rest.length === 0
      ? [{ vendor, pf, vf }]
      : [];
  });
  return new SupportedNics(ids);
}
