import { text, type Text } from '../../util/text';
import { areaOf, countryCodes, usStates } from './distances';

const nameOf = new Intl.DisplayNames(['en'], { type: 'region' });

export interface Country {
  /** Two capital letters (ISO 3166). */
  readonly code: string;
  readonly name: string;
}

/** Sorted by name. */
export const countries: readonly Country[] = countryCodes
  .map((code) => ({ code, name: nameOf.of(code) ?? code }))
  .sort((a, b) => a.name.localeCompare(b.name, 'en'));

/** The places from which a distance can be measured, as offers name their location; countries first, by name. */
export const nearPlaces: readonly string[] = [
  ...countries.map(({ code }) => code),
  ...usStates.map((state) => `${state}, US`),
];

const eu = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

/** Groups of countries by the names that users type. */
const regions: Readonly<Record<string, readonly string[]>> = {
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
  bosnia: 'BA',
  'bosnia-and-herzegovina': 'BA',
  'hong-kong': 'HK',
  uk: 'GB',
  england: 'GB',
  britain: 'GB',
  'great-britain': 'GB',
  usa: 'US',
  america: 'US',
  czech: 'CZ',
  'czech-republic': 'CZ',
  korea: 'KR',
  turkey: 'TR',
  holland: 'NL',
  uae: 'AE',
};

/** Returns the country codes of a typed country, code or region; empty if it is none of them. */
export function findPlaces(typed: string): readonly string[] {
  const word = nameKey(typed.trim());
  const region = Object.hasOwn(regions, word) ? regions[word] : undefined;
  if (region) {
    return region;
  }
  const other = Object.hasOwn(otherNames, word) ? otherNames[word] : undefined;
  if (other !== undefined) {
    return [other];
  }
  const found = countries.find(({ code, name }) => code.toLowerCase() === word || nameKey(name) === word);
  return found ? [found.code] : [];
}

function nameKey(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

export function placeName(code: string): string {
  return countries.find((one) => one.code === code)?.name ?? code;
}

/** Formats a location: `Sweden, SE` repeats itself, `, US` lacks the state, and `Texas, US` stays as it is. */
export function placeText(location: string): string {
  const { area, country: code } = areaOf(location);
  const country = placeName(code);
  return area === '' || area === country ? country : location;
}

/** Returns whether a typed name is a state of the US that is no country as well, as Georgia is. */
export function isUsState(typed: string): boolean {
  const name = typed.trim().toLowerCase();
  return usStates.some((state) => state.toLowerCase() === name) && findPlaces(typed).length === 0;
}

/** The regions to choose from, each by its key in `regions`. */
export const regionNames: Readonly<Record<string, Text>> = {
  eu: text('European Union'),
  europe: text('Europe'),
  'north-america': text('North America'),
  'south-america': text('South America'),
  asia: text('Asia'),
  oceania: text('Oceania'),
  africa: text('Africa'),
  nordics: text('Nordic countries'),
};

/** Returns the name of the region that consists of exactly these countries. */
export function regionName(codes: readonly string[]): Text | undefined {
  const wanted = [...codes].sort().join();
  const found = Object.entries(regionNames).find(
    ([key]) => [...(regions[key] ?? [])].sort().join() === wanted,
  );
  return found?.[1];
}
