import { constant, Field, instant, listOf, nested, oneOf, text } from '#libs/http/field.js';

/** A JSON Web Key. `Source:` RFC 8037. */
export class PublicKey {
  @Field(text({ max: 43 }), {
    description: 'Id of the key, its thumbprint (RFC 7638); signatures name it.',
    example: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  })
  kid!: string;

  @Field(constant('OKP'), { description: 'Type of the key.' })
  kty!: 'OKP';

  @Field(constant('Ed25519'), { description: 'Its curve.' })
  crv!: 'Ed25519';

  @Field(text({ max: 43 }), {
    description: 'The public key, 32 bytes in base64url.',
    example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  })
  x!: string;

  @Field(constant('sig'), { description: 'What it is for.' })
  use!: 'sig';

  @Field(oneOf(['active', 'retired']), {
    description: 'Whether it signs, or only verifies what it has signed.',
    example: 'active',
  })
  status!: 'active' | 'retired';

  @Field(instant(), { description: 'Since when it signs.' })
  notBefore!: string;

  @Field(instant(), { description: 'Until when it signed; null for the active key.', nullable: true })
  notAfter!: string | null;
}

export class PublicKeySet {
  @Field(listOf(nested(PublicKey), { max: 10_000 }), { description: 'All keys ever used, the active one last.' })
  keys!: PublicKey[];
}
