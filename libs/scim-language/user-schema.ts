import { binary, complex, flag, plural, PRIMARY, reference, type Schema, text } from './attribute.js';
import { URN } from './urn.js';

const NAME = complex(
  'name',
  "The components of the user's real name. Providers MAY return just the full name as a single string in the formatted " +
    'sub-attribute, or they MAY return just the individual component attributes using the other sub-attributes, or they ' +
    'MAY return both.',
  {
    subAttributes: [
      text(
        'formatted',
        'The full name, including all middle names, titles, and suffixes as appropriate, formatted for display ' +
          "(e.g., 'Ms. Barbara J Jensen, III').",
      ),
      text('familyName', 'The family name of the User, or last name in most Western languages.'),
      text('givenName', 'The given name of the User, or first name in most Western languages.'),
      text('middleName', 'The middle name(s) of the User.'),
      text('honorificPrefix', 'The honorific prefix(es) of the User, or title in most Western languages.'),
      text('honorificSuffix', 'The honorific suffix(es) of the User, or suffix in most Western languages.'),
    ],
  },
);

const ADDRESSES = complex(
  'addresses',
  "A physical mailing address for this User. Canonical type values of 'work', 'home', and 'other'.",
  {
    multiValued: true,
    subAttributes: [
      text('formatted', 'The full mailing address, formatted for display or use with a mailing label.'),
      text(
        'streetAddress',
        'The full street address component, which may include house number, street name, P.O. box, and multi-line ' +
          'extended street address information.',
      ),
      text('locality', 'The city or locality component.'),
      text('region', 'The state or region component.'),
      text('postalCode', 'The zip code or postal code component.'),
      text('country', 'The country name component.'),
      text('type', "A label indicating the attribute's function, e.g., 'work' or 'home'.", {
        canonicalValues: ['work', 'home', 'other'],
      }),
      PRIMARY,
    ],
  },
);

const GROUPS = complex(
  'groups',
  'A list of groups to which the user belongs, either through direct membership, through nested groups, or dynamically ' +
    'calculated.',
  {
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: [
      text('value', "The identifier of the User's group.", { mutability: 'readOnly', caseExact: true }),
      reference('$ref', "The URI of the corresponding 'Group' resource to which the user belongs.", {
        mutability: 'readOnly',
        referenceTypes: ['Group'],
      }),
      text('display', 'A human-readable name, primarily used for display purposes. READ-ONLY.', {
        mutability: 'readOnly',
      }),
      text('type', "A label indicating the attribute's function, e.g., 'direct' or 'indirect'.", {
        mutability: 'readOnly',
        canonicalValues: ['direct', 'indirect'],
      }),
    ],
  },
);

/** `Source:` RFC 7643 section 8.7.1. */
export const USER_SCHEMA: Schema = {
  id: URN.user,
  name: 'User',
  description: 'User Account',
  attributes: [
    text(
      'userName',
      'Unique identifier for the User, typically used by the user to directly authenticate to the service provider. ' +
        'Each User MUST include a non-empty userName value. This identifier MUST be unique across the service ' +
        "provider's entire set of Users. REQUIRED.",
      { required: true, uniqueness: 'server' },
    ),
    NAME,
    text(
      'displayName',
      'The name of the User, suitable for display to end-users. The name SHOULD be the full name of the User being ' +
        'described, if known.',
    ),
    text(
      'nickName',
      "The casual way to address the user in real life, e.g., 'Bob' or 'Bobby' instead of 'Robert'. This attribute " +
        "SHOULD NOT be used to represent a User's username (e.g., 'bjensen' or 'mpepperidge').",
    ),
    reference('profileUrl', "A fully qualified URL pointing to a page representing the User's online profile.", {
      referenceTypes: ['external'],
    }),
    text('title', 'The user\'s title, such as "Vice President."'),
    text(
      'userType',
      'Used to identify the relationship between the organization and the user. Typical values used might be ' +
        "'Contractor', 'Employee', 'Intern', 'Temp', 'External', and 'Unknown', but any value may be used.",
    ),
    text(
      'preferredLanguage',
      "Indicates the User's preferred written or spoken language. Generally used for selecting a localized user " +
        "interface; e.g., 'en_US' specifies the language English and country US.",
    ),
    text(
      'locale',
      "Used to indicate the User's default location for purposes of localizing items such as currency, date time " +
        'format, or numerical representations.',
    ),
    text('timezone', "The User's time zone in the 'Olson' time zone database format, e.g., 'America/Los_Angeles'."),
    flag('active', "A Boolean value indicating the User's administrative status."),
    text(
      'password',
      "The User's cleartext password. This attribute is intended to be used as a means to specify an initial password " +
        "when creating a new User or to reset an existing User's password.",
      { mutability: 'writeOnly', returned: 'never' },
    ),
    plural(
      'emails',
      'Email addresses for the user. The value SHOULD be canonicalized by the service provider, e.g., ' +
        "'bjensen@example.com' instead of 'bjensen@EXAMPLE.COM'. Canonical type values of 'work', 'home', and 'other'.",
      text('value', 'Email addresses for the user.'),
      {
        description: "A label indicating the attribute's function, e.g., 'work' or 'home'.",
        canonicalValues: ['work', 'home', 'other'],
      },
    ),
    plural(
      'phoneNumbers',
      'Phone numbers for the User. The value SHOULD be canonicalized by the service provider according to the format ' +
        "specified in RFC 3966, e.g., 'tel:+1-201-555-0123'.",
      text('value', 'Phone number of the User.'),
      {
        description: "A label indicating the attribute's function, e.g., 'work', 'home', 'mobile'.",
        canonicalValues: ['work', 'home', 'mobile', 'fax', 'pager', 'other'],
      },
    ),
    plural(
      'ims',
      'Instant messaging addresses for the User.',
      text('value', 'Instant messaging address for the User.'),
      {
        description: "A label indicating the attribute's function, e.g., 'aim', 'gtalk', 'xmpp'.",
        canonicalValues: ['aim', 'gtalk', 'icq', 'xmpp', 'msn', 'skype', 'qq', 'yahoo'],
      },
    ),
    plural(
      'photos',
      'URLs of photos of the User.',
      reference('value', 'URL of a photo of the User.', { referenceTypes: ['external'] }),
      {
        description: "A label indicating the attribute's function, i.e., 'photo' or 'thumbnail'.",
        canonicalValues: ['photo', 'thumbnail'],
      },
    ),
    ADDRESSES,
    GROUPS,
    plural(
      'entitlements',
      'A list of entitlements for the User that represent a thing the User has.',
      text('value', 'The value of an entitlement.'),
    ),
    plural(
      'roles',
      "A list of roles for the User that collectively represent who the User is, e.g., 'Student', 'Faculty'.",
      text('value', 'The value of a role.'),
    ),
    plural(
      'x509Certificates',
      'A list of certificates issued to the User.',
      binary('value', 'The value of an X.509 certificate.'),
    ),
  ],
};
