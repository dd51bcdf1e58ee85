/** Words for sample deals. None of them names a real company. */
export const COMPANY_FIRST = (
  'Alder Amber Anchor Apex Arbor Argent Aspen Atlas Aurora Basalt Beacon Birch Bluff Boreal Breeze Bright Brook Cascade ' +
  'Cedar Cinder Clear Cliff Cobalt Comet Copper Coral Crest Crown Crystal Cypress Dawn Delta Desert Drift Dune Eagle East ' +
  'Echo Elder Elm Ember Falcon Fern Field Fir Flint Forge Fox Frost Gale Garnet Glacier Glen Golden Granite Green Grove ' +
  'Gull Harbor Hazel Heath Heron High Hollow Horizon Indigo Iron Island Ivory Jade Juniper Keystone Lake Lark Larch Laurel ' +
  'Linden Lumen Lunar Maple Marble Marsh Meadow Mesa Mill Mint Mirror Misty Moss North Nova Oak Ocean Olive Onyx Opal Orbit ' +
  'Orchard Osprey Otter Pacific Palm Pearl Pebble Pine Pioneer Polar Poplar Prairie Prism Quarry Quartz Quill Rain Raven Red ' +
  'Reef Ridge River Robin Rowan Ruby Rush Sable Saffron Sage Sand Sapphire Scarlet Sierra Silver Slate Solar South Sparrow ' +
  'Spring Spruce Star Sterling Stone Storm Summit Sunset Swan Swift Tamarack Teal Terra Thistle Thunder Tidal Timber Topaz ' +
  'Torrent Trail Tundra Umber Union Upland Valley Vantage Velvet Verdant Vista Walnut Water Wave West Willow Wind Winter Wren'
).split(' ');

export const COMPANY_SECOND = (
  'Analytics Automotive Bakery Bank Biotech Builders Capital Care Chemicals Clinics Coffee Components Construction Consulting ' +
  'Controls Dairy Dental Design Devices Digital Dynamics Education Electric Energy Engineering Equipment Farms Films Finance ' +
  'Fitness Foods Freight Furniture Games Gardens Glass Group Health Holdings Homes Hotels Industries Instruments Insurance ' +
  'Interiors Kitchens Labs Learning Legal Lighting Logistics Machines Manufacturing Marine Materials Media Medical Metals ' +
  'Mobility Motors Music Networks Optics Outfitters Packaging Paper Partners Pharma Plastics Power Press Printing Properties ' +
  'Rail Recruiting Recycling Retail Robotics Schools Security Sensors Shipping Software Solar Sports Steel Storage Studios ' +
  'Supply Surveying Systems Telecom Textiles Tools Toys Trading Training Transit Travel Ventures Water Wireless Works'
).split(' ');

/** Subjects of deals by type. */
export const SUBJECTS = {
  new_business: [
    'platform rollout', 'pilot', 'first order', 'fleet contract', 'head office', 'regional rollout', 'proof of concept',
    'three-year agreement', 'onboarding package', 'store network', 'plant monitoring', 'support desk', 'data warehouse',
    'field service', 'annual licence', 'spare parts', 'warehouse system', 'mobile app', 'payroll switch', 'website relaunch',
  ],
  expansion: [
    'additional seats', 'second site', 'premium support', 'analytics add-on', 'more sensors', 'new subsidiary',
    'upgrade', 'integration package', 'training days', 'extended warranty', 'API access', 'storage upgrade',
  ],
  renewal: ['renewal', 'contract renewal', 'licence renewal', 'support renewal', 'framework renewal'],
} as const; // prettier-ignore

export const NEXT_STEPS = [
  'Send the offer', 'Call the buyer', 'Arrange a demo', 'Clarify the budget', 'Meet the technical lead',
  'Answer the security questionnaire', 'Agree the start date', 'Get the order signed', 'Send references',
  'Review the contract with legal', 'Follow up after the trade fair', 'Plan the pilot', 'Introduce the support team',
  'Update the quantities', 'Confirm delivery terms', 'Find out who decides',
] as const; // prettier-ignore

export const LOST_NOTES = [
  'Went with the cheaper offer.', 'The project was put off for a year.', 'The budget was cut.',
  'They build it themselves.', 'A feature was missing.', 'No answer after the third offer.', 'The sponsor left.',
  'Happy with what they have.',
] as const; // prettier-ignore

export const COMPETITORS = [
  'Northgate Suite', 'Corvid One', 'Brightline', 'Tessera', 'Halyard Cloud', 'Quorum Works', 'an in-house tool',
] as const; // prettier-ignore
