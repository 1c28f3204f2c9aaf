/** The middle of a place, in degrees north and east. */
type Point = readonly [lat: number, lon: number];

/**
 * Countries that have machines, and those whose users may type their own. Others are left out, because two letters
 * that begin another word, such as `cu` for CUDA, would be read as a country.
 */
const ofCountries = points(
  'AE 24 54, AL 41 20, AM 40 45, AR -34 -64, AT 47.5 14.5, AU -27 133, AZ 40.5 47.5, BA 44 18, BD 24 90, ' +
    'BE 50.8 4.5, BG 43 25, BR -10 -55, BY 53 28, CA 56 -106, CH 47 8, CL -30 -71, CN 35 105, CO 4 -72, ' +
    'CR 10 -84, CY 35 33, CZ 49.8 15.5, DE 51 9, DK 56 10, EE 59 26, EG 27 30, ES 40 -4, FI 62 26, FR 46 2, ' +
    'GB 54 -2, GE 42 43.5, GR 39 22, HK 22.3 114.2, HR 45.2 15.5, HU 47 20, ID -5 120, IE 53 -8, ' +
    'IL 31.5 34.8, IN 20 77, IS 65 -18, IT 42.8 12.8, JP 36 138, KE 1 38, KR 37 127.5, KZ 48 68, ' +
    'LI 47.2 9.5, LT 56 24, LU 49.8 6.2, LV 57 25, MA 32 -5, MD 47 29, ME 42.5 19.3, MK 41.8 22, ' +
    'MT 35.9 14.4, MX 23 -102, MY 2.5 112.5, NG 10 8, NL 52.5 5.8, NO 62 10, NZ -41 174, PA 9 -80, ' +
    'PE -10 -76, PH 13 122, PK 30 70, PL 52 20, PT 39.5 -8, QA 25.5 51.2, RO 46 25, RS 44 21, RU 60 100, ' +
    'SA 25 45, SE 62 15, SG 1.4 103.8, SI 46 15, SK 48.7 19.5, TH 15 100, TN 34 9, TR 39 35, TW 23.5 121, ' +
    'UA 49 32, US 39 -98, UY -33 -56, UZ 41 64, VN 16 106, ZA -29 24',
);
const ofStates = points(
  'Alabama 32.8 -86.8, Alaska 64 -152, Arizona 34.3 -111.7, Arkansas 34.8 -92.4, California 37 -120, ' +
    'Colorado 39 -105.5, Connecticut 41.6 -72.7, Delaware 39 -75.5, District of Columbia 38.9 -77, ' +
    'Florida 28.5 -82.4, Georgia 32.6 -83.4, Hawaii 20.8 -156.5, Idaho 44.4 -114.6, Illinois 40 -89.2, ' +
    'Indiana 39.9 -86.3, Iowa 42 -93.5, Kansas 38.5 -98.4, Kentucky 37.5 -85.3, Louisiana 31 -92, ' +
    'Maine 45.4 -69.2, Maryland 39 -76.8, Massachusetts 42.3 -71.8, Michigan 44.3 -85.4, ' +
    'Minnesota 46.3 -94.3, Mississippi 32.7 -89.7, Missouri 38.4 -92.5, Montana 47 -109.6, ' +
    'Nebraska 41.5 -99.8, Nevada 39.3 -116.6, New Hampshire 43.7 -71.6, New Jersey 40.2 -74.7, ' +
    'New Mexico 34.4 -106.1, New York 42.9 -75.5, North Carolina 35.5 -79.4, North Dakota 47.4 -100.5, ' +
    'Ohio 40.3 -82.8, Oklahoma 35.6 -97.5, Oregon 43.9 -120.6, Pennsylvania 40.9 -77.8, ' +
    'Rhode Island 41.7 -71.6, South Carolina 33.9 -80.9, South Dakota 44.4 -100.2, Tennessee 35.9 -86.4, ' +
    'Texas 31.5 -99.3, Utah 39.3 -111.7, Vermont 44.1 -72.7, Virginia 37.5 -78.9, Washington 47.4 -120.5, ' +
    'West Virginia 38.6 -80.6, Wisconsin 44.6 -89.9, Wyoming 43 -107.5',
);

/** Two capital letters each (ISO 3166). */
export const countryCodes: readonly string[] = [...ofCountries.keys()];

/** The states of the US and its capital, which offers name before the country: `Texas, US`. */
export const usStates: readonly string[] = [...ofStates.keys()];

function points(table: string): ReadonlyMap<string, Point> {
  const rows = table.split(', ').map((row) => /^(.+) (\S+) (\S+)$/.exec(row) ?? []);
  return new Map(rows.map(([, name = '', lat, lon]) => [name, [Number(lat), Number(lon)]]));
}

/** Splits a location such as `Texas, US` or `US`; the area may be empty. */
export function areaOf(location: string): { readonly area: string; readonly country: string } {
  const comma = location.lastIndexOf(',');
  return {
    area: location.slice(0, Math.max(comma, 0)).trim(),
    country: location.slice(comma + 1).trim(),
  };
}

/** Returns the middle of a location such as `SE`, `Sweden, SE` or `Texas, US`, which is a country or a state. */
function pointOf(location: string): Point | undefined {
  const { area, country } = areaOf(location);
  return (country === 'US' ? ofStates.get(area) : undefined) ?? ofCountries.get(country);
}

/** Returns whether a distance can be measured from a place. */
export function isNearPlace(location: string): boolean {
  return pointOf(location) !== undefined;
}

const earthRadiusKm = 6371;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

/**
 * Returns the kilometers between two locations, from the middle of one to that of the other: offers state no more than
 * their country, or their state in the US. `undefined` if one of them is unknown.
 */
export function distanceKm(from: string, to: string): number | undefined {
  const [a, b] = [pointOf(from), pointOf(to)];
  if (!a || !b) {
    return undefined;
  }
  const half = (one: number, other: number) => Math.sin(radians(other - one) / 2) ** 2;
  const share = half(a[0], b[0]) + Math.cos(radians(a[0])) * Math.cos(radians(b[0])) * half(a[1], b[1]);
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(share)));
}
