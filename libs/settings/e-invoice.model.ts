import { emailAddress } from '#libs/http/email-field.js';
import { Field, type Kind, nested, oneOf, text } from '#libs/http/field.js';

export const E_INVOICE_FORMATS = ['factur_x', 'xrechnung'] as const;
export type EInvoiceFormat = (typeof E_INVOICE_FORMATS)[number];

const line = (): Kind => text({ min: 1, max: 200, pattern: /^\S(.*\S)?$/, form: 'on one line' });
const iban = (): Kind =>
  text({ min: 15, max: 34, pattern: /^[A-Z]{2}\d{2}[A-Z0-9]+$/, form: 'an IBAN in capitals, without spaces' });

/** Postal address of the seller, in parts. */
export class SellerAddress {
  @Field(line(), { description: 'Street and number.', example: '1 High Street', nullable: true })
  line1!: string | null;

  @Field(line(), { description: 'Further address line.', nullable: true })
  line2!: string | null;

  @Field(line(), { description: 'City.', example: 'Berlin', nullable: true })
  city!: string | null;

  @Field(text({ min: 1, max: 20 }), { description: 'Postal code.', example: '10115', nullable: true })
  postalCode!: string | null;

  @Field(text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/, form: 'an ISO 3166-1 alpha-2 code in capitals, such as DE' }), {
    description: 'ISO 3166-1 alpha-2 code.',
    example: 'DE',
    nullable: true,
  })
  country!: string | null;
}

/** Whom the customer asks about a document. */
export class SellerContact {
  @Field(line(), { description: 'Person or department.', example: 'Accounts receivable', nullable: true })
  name!: string | null;

  @Field(text({ min: 3, max: 40 }), { description: 'Telephone number.', example: '+49 30 123456', nullable: true })
  phone!: string | null;

  @Field(emailAddress(), {
    description: 'E-mail address, also the electronic address of the seller.',
    example: 'billing@acme.example',
    nullable: true,
  })
  email!: string | null;
}

/** Electronic invoices in the European standard EN 16931. */
export class EInvoiceSettings {
  @Field(oneOf(['none', ...E_INVOICE_FORMATS]), {
    description:
      'What invoices and credit notes carry from their issue on: `factur_x` is EN 16931 (Factur-X, ZUGFeRD), `xrechnung` is XRechnung 3.0. What is missing for it then prevents the issue (409 `e_invoice_incomplete`).',
    example: 'none',
  })
  format!: 'none' | EInvoiceFormat;

  @Field(nested(SellerAddress), { description: 'Postal address of the seller.' })
  address!: SellerAddress;

  @Field(nested(SellerContact), { description: 'Contact of the seller.' })
  contact!: SellerContact;

  @Field(iban(), { description: 'Account to pay to.', example: 'DE02120300000000202051', nullable: true })
  iban!: string | null;

  @Field(
    text({ min: 8, max: 11, pattern: /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/, form: 'a BIC of 8 or 11 characters' }),
    { description: 'BIC of its bank.', nullable: true },
  )
  bic!: string | null;
}

export const DEFAULT_E_INVOICE: EInvoiceSettings = {
  format: 'none',
  address: { line1: null, line2: null, city: null, postalCode: null, country: null },
  contact: { name: null, phone: null, email: null },
  iban: null,
  bic: null,
};
