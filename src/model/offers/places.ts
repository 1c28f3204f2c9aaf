/** A country with its middle, for the order by distance. Degrees; rounded, as the order needs no more. */
export interface Place {
  readonly code: string;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
}

function place(code: string, name: string, lat: number, lon: number): Place {
  return { code, name, lat, lon };
}

/** Countries in which machines are offered, and those whose people may name their own. */
export const places: readonly Place[] = [
  place('AE', 'United Arab Emirates', 24, 54),
  place('AL', 'Albania', 41, 20),
  place('AM', 'Armenia', 40, 45),
  place('AR', 'Argentina', -34, -64),
  place('AT', 'Austria', 47.5, 14.5),
  place('AU', 'Australia', -27, 133),
  place('AZ', 'Azerbaijan', 40.5, 47.5),
  place('BA', 'Bosnia and Herzegovina', 44, 18),
  place('BD', 'Bangladesh', 24, 90),
  place('BE', 'Belgium', 50.8, 4.5),
  place('BG', 'Bulgaria', 43, 25),
  place('BR', 'Brazil', -10, -55),
  place('BY', 'Belarus', 53, 28),
  place('CA', 'Canada', 56, -106),
  place('CH', 'Switzerland', 47, 8),
  place('CL', 'Chile', -30, -71),
  place('CN', 'China', 35, 105),
  place('CO', 'Colombia', 4, -72),
  place('CR', 'Costa Rica', 10, -84),
  place('CY', 'Cyprus', 35, 33),
  place('CZ', 'Czechia', 49.8, 15.5),
  place('DE', 'Germany', 51, 9),
  place('DK', 'Denmark', 56, 10),
  place('EE', 'Estonia', 59, 26),
  place('EG', 'Egypt', 27, 30),
  place('ES', 'Spain', 40, -4),
  place('FI', 'Finland', 62, 26),
  place('FR', 'France', 46, 2),
  place('GB', 'United Kingdom', 54, -2),
  place('GE', 'Georgia', 42, 43.5),
  place('GR', 'Greece', 39, 22),
  place('HK', 'Hong Kong', 22.3, 114.2),
  place('HR', 'Croatia', 45.2, 15.5),
  place('HU', 'Hungary', 47, 20),
  place('ID', 'Indonesia', -5, 120),
  place('IE', 'Ireland', 53, -8),
  place('IL', 'Israel', 31.5, 34.8),
  place('IN', 'India', 20, 77),
  place('IS', 'Iceland', 65, -18),
  place('IT', 'Italy', 42.8, 12.8),
  place('JP', 'Japan', 36, 138),
  place('KE', 'Kenya', 1, 38),
  place('KR', 'South Korea', 37, 127.5),
  place('KZ', 'Kazakhstan', 48, 68),
  place('LI', 'Liechtenstein', 47.2, 9.5),
  place('LT', 'Lithuania', 56, 24),
  place('LU', 'Luxembourg', 49.8, 6.2),
  place('LV', 'Latvia', 57, 25),
  place('MA', 'Morocco', 32, -5),
  place('MD', 'Moldova', 47, 29),
  place('ME', 'Montenegro', 42.5, 19.3),
  place('MK', 'North Macedonia', 41.8, 22),
  place('MT', 'Malta', 35.9, 14.4),
  place('MX', 'Mexico', 23, -102),
  place('MY', 'Malaysia', 2.5, 112.5),
  place('NG', 'Nigeria', 10, 8),
  place('NL', 'Netherlands', 52.5, 5.8),
  place('NO', 'Norway', 62, 10),
  place('NZ', 'New Zealand', -41, 174),
  place('PA', 'Panama', 9, -80),
  place('PE', 'Peru', -10, -76),
  place('PH', 'Philippines', 13, 122),
  place('PK', 'Pakistan', 30, 70),
  place('PL', 'Poland', 52, 20),
  place('PT', 'Portugal', 39.5, -8),
  place('QA', 'Qatar', 25.5, 51.2),
  place('RO', 'Romania', 46, 25),
  place('RS', 'Serbia', 44, 21),
  place('RU', 'Russia', 60, 100),
  place('SA', 'Saudi Arabia', 25, 45),
  place('SE', 'Sweden', 62, 15),
  place('SG', 'Singapore', 1.4, 103.8),
  place('SI', 'Slovenia', 46, 15),
  place('SK', 'Slovakia', 48.7, 19.5),
  place('TH', 'Thailand', 15, 100),
  place('TN', 'Tunisia', 34, 9),
  place('TR', 'Türkiye', 39, 35),
  place('TW', 'Taiwan', 23.5, 121),
  place('UA', 'Ukraine', 49, 32),
  place('US', 'United States', 39, -98),
  place('UY', 'Uruguay', -33, -56),
  place('UZ', 'Uzbekistan', 41, 64),
  place('VN', 'Vietnam', 16, 106),
  place('ZA', 'South Africa', -29, 24),
];

const eu = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

/** Groups of countries under the names that people type. */
export const regions: Readonly<Record<string, readonly string[]>> = {
  eu,
  europe: [...eu, 'AL', 'BA', 'BY', 'CH', 'GB', 'IS', 'LI', 'MD', 'ME', 'MK', 'NO', 'RS', 'RU', 'UA'].sort(),
  na: ['CA', 'MX', 'US'],
  'north-america': ['CA', 'MX', 'US'],
  'south-america': ['AR', 'BR', 'CL', 'CO', 'PE', 'UY'],
  asia: 'AE AM AZ BD CN GE HK ID IL IN JP KR KZ MY PH PK QA SA SG TH TR TW UZ VN'.split(' '),
  oceania: ['AU', 'NZ'],
  africa: ['EG', 'KE', 'MA', 'NG', 'TN', 'ZA'],
  nordics: ['DK', 'FI', 'IS', 'NO', 'SE'],
};

const otherNames: Readonly<Record<string, string>> = {
  uk: 'GB',
  england: 'GB',
  britain: 'GB',
  usa: 'US',
  america: 'US',
  czech: 'CZ',
  korea: 'KR',
  turkey: 'TR',
  holland: 'NL',
  uae: 'AE',
};

/** Country codes for a typed country, code or region; empty when it is none. */
export function findPlaces(typed: string): readonly string[] {
  const word = typed.toLowerCase().trim();
  const region = Object.hasOwn(regions, word) ? regions[word] : undefined;
  if (region) {
    return region;
  }
  const other = Object.hasOwn(otherNames, word) ? otherNames[word] : undefined;
  if (other !== undefined) {
    return [other];
  }
  const found = places.find(
    (one) =>
      one.code.toLowerCase() === word ||
      one.name.toLowerCase().replace(/ /g, '-') === word.replace(/ /g, '-'),
  );
  return found ? [found.code] : [];
}

export function placeName(code: string): string {
  return places.find((one) => one.code === code)?.name ?? code;
}

/** Where a machine is, for people: `Sweden, SE` says it twice, `, US` lacks the state; `Texas, US` stays. */
export function placeText(location: string): string {
  const comma = location.lastIndexOf(',');
  const area = location.slice(0, Math.max(comma, 0)).trim();
  const country = placeName(location.slice(comma + 1).trim());
  return area === '' || area === country ? country : location;
}

/** The name of a region that consists of exactly these countries. */
export function regionName(codes: readonly string[]): string | undefined {
  const wanted = [...codes].sort().join();
  const found = Object.entries(regions).find(([, members]) => [...members].sort().join() === wanted);
  return found?.[0];
}

const earthRadiusKm = 6371;

/** Kilometres between the middles of two countries; `undefined` where one is not known. */
export function distanceKm(from: string, to: string): number | undefined {
  const a = places.find((one) => one.code === from);
  const b = places.find((one) => one.code === to);
  if (!a || !b) {
    return undefined;
  }
  const rad = (degrees: number) => (degrees * Math.PI) / 180;
  const h =
    Math.sin(rad(b.lat - a.lat) / 2) ** 2 +
    Math.cos(rad(a.lat)) * Math.cos(rad(b.lat)) * Math.sin(rad(b.lon - a.lon) / 2) ** 2;
  return Math.round(2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(h))));
}
