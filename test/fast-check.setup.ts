import fc from "fast-check";
import { TEST_SEED } from "./seed.ts";

// Property tests print their seed and path when they fail.
fc.configureGlobal({ seed: TEST_SEED });
