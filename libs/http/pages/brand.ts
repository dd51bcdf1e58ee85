/** How a tenant appears on its pages. */
export interface Brand {
  name: string;
  /** Such as `#0f62fe`; null for the colour of the platform. */
  color: string | null;
  /** Path of its logo; null without one. */
  logo: string | null;
  /** Language tag, for dates and amounts; the texts are English. */
  locale: string;
  /** IANA time zone. */
  timezone: string;
}

const OWN_COLOR = '#1f4fa3';
/** WCAG 2.2, 1.4.3: texts against their background. */
const READABLE = 4.5;

/**
 * The colour for links, and for buttons with white text: the one of the brand, darkened until it can be read on white.
 * @param color `#rrggbb`
 */
export function readableColor(color: string | null): string {
  let channels = [1, 3, 5].map((at) => parseInt((color ?? OWN_COLOR).slice(at, at + 2), 16));
  while (1.05 / (luminanceOf(channels) + 0.05) < READABLE) channels = channels.map((each) => Math.floor(each * 0.95));
  return `#${channels.map((each) => each.toString(16).padStart(2, '0')).join('')}`;
}

/** Relative luminance of sRGB, 0 to 1. */
function luminanceOf(channels: readonly number[]): number {
  const [red, green, blue] = channels.map((each) => {
    const value = each / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
