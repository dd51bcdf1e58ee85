import type { IncomingMessage } from 'node:http';
import { type BusboyFileStream, Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { Received } from '#libs/files/receiving.js';
import { Problem } from '#libs/kernel/problem.js';
import { bytesFrom, cutOff } from './bytes-from.js';

/** Name of the part with the file. */
export const FILE_PART = 'file';
const LIMITS = {
  files: 1,
  fields: 20,
  parts: 21,
  fieldNameSize: 100,
  fieldSize: 4_096,
  headerPairs: 20,
  headerSize: 8_192,
};

/** A form, as far as it is known when its file begins. */
export interface Form {
  fields: Record<string, string>;
  /** Name that the client gives the file; null if it gives none. */
  fileName: string | null;
}

/**
 * Reads a form whose last part is a file. `receive` gets the fields and the bytes when the file begins, so that it can
 * refuse the form before they arrive.
 * @throws Problem 400 for another form; what `receive` throws.
 */
export function readForm(
  stream: IncomingMessage,
  receive: (form: Form, bytes: AsyncIterable<Buffer>) => Promise<Received>,
  discard: (received: Received) => Promise<void>,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const parser = parserOf(stream);
    const fields: Record<string, string> = {};
    let part: BusboyFileStream | null = null;
    let receiving: Promise<Received> | null = null;
    const fail = (error: Error) => {
      stream.unpipe(parser);
      part?.destroy(error);
      void receiving?.then(discard, () => undefined);
      reject(error);
    };
    const refuse = (detail: string, pointer = '') =>
      fail(Problem.validation([{ pointer, code: 'invalid_form', detail }]));
    parser.on('field', (name, value, isNameCut, isValueCut) => {
      if (receiving) return refuse('Send the other parts before the file.');
      if (isNameCut || isValueCut) return refuse('A part is too long.');
      if (Object.hasOwn(fields, name)) return refuse('A part occurs twice.', `/${name}`);
      fields[name] = value;
    });
    parser.on('file', (name, bytes, fileName) => {
      if (receiving ?? name !== FILE_PART) {
        bytes.resume();
        return refuse(`The form has one file, in the part \`${FILE_PART}\`.`);
      }
      part = bytes;
      bytes.on('error', () => undefined); // told by `fail`
      receiving = receive({ fields, fileName: fileName || null }, bytesFrom(bytes));
      receiving.catch(fail);
    });
    for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
      parser.on(limit, () => refuse('The form has too many parts.'));
    parser.on('error', () => fail(cutOff()));
    parser.on('finish', () => {
      if (receiving) receiving.then(resolve, reject);
      else refuse(`The form needs a file, in the part \`${FILE_PART}\`.`, `/${FILE_PART}`);
    });
    stream.once('error', () => fail(cutOff())).once('close', () => stream.complete || fail(cutOff()));
    stream.pipe(parser);
  });
}

/** @throws Problem 400 without a boundary. */
function parserOf({ headers }: IncomingMessage) {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: LIMITS }); // the parser of bodies has seen the type
  } catch (cause) {
    throw new Problem('bad_request', 'The form has no usable boundary.', { cause });
  }
}
