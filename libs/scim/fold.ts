/** How text is compared where case does not count: NFC in lower case. Every key column of SCIM is made by this. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}
