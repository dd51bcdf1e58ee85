import 'reflect-metadata';
import { readCompiled } from '#src/platform/compile-cache.js';

readCompiled();
const { runWorker } = await import('./run.js');
void runWorker();
