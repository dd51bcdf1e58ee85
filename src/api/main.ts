import { allocateYoung, boundGarbage, collectAlone } from '#src/platform/allocation.js';
import { loadApp } from '#src/platform/app-script.js';
import { postponeOptimization } from '#src/platform/optimization.js';
import type * as Api from './run.js';

allocateYoung();
collectAlone();
boundGarbage(2);
postponeOptimization();
const { exports, keepCompiled } = await loadApp<typeof Api>(import.meta.dirname);
void exports.runApi(keepCompiled);
