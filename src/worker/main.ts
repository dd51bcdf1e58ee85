import { allocateYoung, boundGarbage, collectAlone } from '#src/platform/allocation.js';
import { loadApp } from '#src/platform/app-script.js';
import { postponeOptimization } from '#src/platform/optimization.js';
import type * as Worker from './run.js';

allocateYoung();
collectAlone();
boundGarbage(4);
postponeOptimization();
const { exports, keepCompiled } = await loadApp<typeof Worker>(import.meta.dirname);
void exports.runWorker(keepCompiled);
