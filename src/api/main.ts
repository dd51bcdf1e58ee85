import { requireNode } from '#src/platform/node-version.js';

requireNode();
await import('./run.js');
