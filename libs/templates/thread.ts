import { parentPort } from 'node:worker_threads';
import { inspect, render } from './language.js';
import type { Rendering, TemplateText } from './template.js';

/** What a thread of `LimitedThreads` does. */
export type TemplateTask = { inspect: TemplateText } | { render: Rendering };

const warmUp: Rendering = {
  template: {
    format: 'html',
    subject: '{{ name }}',
    body: '{% for n in (1..3) %}<p class="a">{{ n | money }} {{ today | date: "long" }} {{ n | number: 1 }}</p>{% endfor %}',
    styles: null,
    variablesSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
  partials: [],
  data: { name: 'A', today: '2026-01-01' },
  ...{ locale: 'en', timeZone: 'UTC', currency: 'EUR' },
};

const port = parentPort!; // this file is loaded by threads only
port.on('message', (task: TemplateTask) =>
  port.postMessage('inspect' in task ? inspect(task.inspect) : render(task.render)),
);
render(warmUp); // the first rendering takes longer, and each has little time
port.postMessage('ready');
