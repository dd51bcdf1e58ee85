import { allocateYoung, boundGarbage, collectAlone } from '#src/platform/allocation.js';
import { loadApp } from '#src/platform/app-script.js';
import type * as Api from './run.js';

allocateYoung();
collectAlone();
boundGarbage();
const { exports, keepCompiled } = await loadApp<typeof Api>(import.meta.dirname);
void exports.runApi(keepCompiled);
