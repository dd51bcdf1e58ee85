/** Codes of UN/ECE Recommendation 20 for units as people write them, in lower case. */
const CODES: Record<string, readonly string[]> = {
  ANN: ['year', 'years', 'jahr', 'jahre', 'an', 'ans', 'año', 'años'],
  C62: ['one', 'unit', 'units', 'license', 'licenses', 'seat', 'seats', 'user', 'users'],
  CMT: ['cm'],
  DAY: ['day', 'days', 'd', 'tag', 'tage', 'jour', 'jours', 'día', 'días', 'personentag', 'personentage', 'pt'],
  GRM: ['g', 'gram', 'grams'],
  H87: ['piece', 'pieces', 'pc', 'pcs', 'stück', 'stk', 'pièce', 'pièces', 'pieza', 'piezas'],
  HUR: ['hour', 'hours', 'h', 'hr', 'hrs', 'stunde', 'stunden', 'std', 'heure', 'heures', 'hora', 'horas'],
  KGM: ['kg', 'kilogram', 'kilograms'],
  KMT: ['km', 'kilometre', 'kilometres', 'kilometer', 'kilometers'],
  KWH: ['kwh'],
  LS: ['lump sum', 'flat', 'flat rate', 'pauschal', 'pauschale', 'forfait'],
  LTR: ['l', 'litre', 'litres', 'liter', 'liters'],
  MIN: ['min', 'minute', 'minutes', 'minuten'],
  MON: ['month', 'months', 'monat', 'monate', 'mois', 'mes', 'meses'],
  MTK: ['m2', 'm²', 'sqm', 'qm'],
  MTQ: ['m3', 'm³', 'cbm'],
  MTR: ['m', 'metre', 'metres', 'meter', 'meters'],
  TNE: ['t', 'tonne', 'tonnes'],
  WEE: ['week', 'weeks', 'woche', 'wochen', 'semaine', 'semaines', 'semana', 'semanas'],
  XPK: ['package', 'packages', 'pack', 'packung', 'paket'],
};
const BY_NAME = new Map(Object.entries(CODES).flatMap(([code, names]) => names.map((name) => [name, code])));

/** The code of a unit as it stands on a line; null for one that has no known code. */
export function unitCodeOf(unit: string | null): string | null {
  if (unit === null) return 'C62';
  const name = unit.trim().toLowerCase().replace(/\.$/, '');
  return BY_NAME.get(name) ?? (unit in CODES ? unit : null);
}
