import 'reflect-metadata';
import { runApi } from './run.js';

void runApi();
