import { parentPort } from 'node:worker_threads';
import { type PdfOptions, type PdfOutcome, PdfTooLarge } from './pdf.js';
import { print } from './printing.js';

/** What the thread of `PdfRenderer` does. */
export interface PdfTask {
  source: string;
  options: PdfOptions;
}

const WARM_UP: PdfTask = {
  source: '<h1>Äa</h1><p>1.234,00 € <b>b</b></p><table><tr><th>A</th></tr><tr><td align="right">1</td></tr></table>',
  options: {
    format: 'html',
    title: '',
    author: '',
    locale: 'en',
    pageSize: 'A4',
    footer: 'A',
    createdAt: new Date(0).toISOString(),
  },
};

async function outcomeOf({ source, options }: PdfTask): Promise<PdfOutcome> {
  try {
    return { pdf: await print(source, options) };
  } catch (error) {
    if (error instanceof PdfTooLarge) return { fault: { code: 'pdf_too_large', detail: error.message } };
    if (error instanceof RangeError) return { fault: { code: 'pdf_too_costly', detail: 'It is too complex.' } };
    throw error;
  }
}

const port = parentPort!; // this file is loaded by threads only
port.on('message', (task: PdfTask) => {
  void outcomeOf(task).then((outcome) =>
    port.postMessage(outcome, 'pdf' in outcome ? [outcome.pdf.bytes.buffer as ArrayBuffer] : []),
  );
});
await outcomeOf(WARM_UP); // the first one parses the fonts
port.postMessage('ready');
