import { type Clock, type Heart, systemClock } from "../async/index.ts";
import { DirectorySource } from "../manifest/index.ts";
import type { Settings } from "./settings.ts";

/** The directory of add-ons. */
export function addonSource(settings: Settings, clock: Clock = systemClock, heart?: Heart): DirectorySource {
  return new DirectorySource({ root: settings.addonPath, clock, settleMs: settings.settleMs, heart });
}

/** The directory of admission controls; read on demand, never watched. */
export function admissionSource(settings: Settings, clock: Clock = systemClock): DirectorySource {
  return new DirectorySource({ root: settings.admissionControlsPath, clock, settleMs: settings.settleMs });
}
