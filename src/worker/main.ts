import 'reflect-metadata';
import { runWorker } from './run.js';

void runWorker();
