import { text, type Text } from '../../util/text';

/**
 * Countries that have machines, and those whose users may type their own. Others are left out, because two letters
 * that begin another word, such as `cu` for CUDA, would be read as a country.
 */
const codes = (
  'AE AL AM AR AT AU AZ BA BD BE BG BR BY CA CH CL CN CO CR CY CZ DE DK EE EG ES FI FR GB GE GR HK HR ' +
  'HU ID IE IL IN IS IT JP KE KR KZ LI LT LU LV MA MD ME MK MT MX MY NG NL NO NZ PA PE PH PK PL PT QA ' +
  'RO RS RU SA SE SG SI SK TH TN TR TW UA US UY UZ VN ZA'
).split(' ');
const nameOf = new Intl.DisplayNames(['en'], { type: 'region' });

export interface Country {
  /** Two capital letters (ISO 3166). */
  readonly code: string;
  readonly name: string;
}

/** Sorted by name. */
export const countries: readonly Country[] = codes
  .map((code) => ({ code, name: nameOf.of(code) ?? code }))
  .sort((a, b) => a.name.localeCompare(b.name, 'en'));

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
  const comma = location.lastIndexOf(',');
  const area = location.slice(0, Math.max(comma, 0)).trim();
  const country = placeName(location.slice(comma + 1).trim());
  return area === '' || area === country ? country : location;
}

/** The states of the US and its capital, which offers name before the country: `Texas, US`. */
const usStates = (
  'Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, District of Columbia, Florida, ' +
  'Georgia, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland, Massachusetts, ' +
  'Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, ' +
  'New York, North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island, South Carolina, ' +
  'South Dakota, Tennessee, Texas, Utah, Vermont, Virginia, Washington, West Virginia, Wisconsin, Wyoming'
).split(', ');

/** Returns the name that offers use for a typed state of the US, in lower case. Georgia is a country as well. */
export function findUsState(typed: string): string | undefined {
  const name = typed.trim().toLowerCase().replaceAll('.', '');
  const found = name === 'washington dc' ? 'district of columbia' : name;
  return usStates.some((state) => state.toLowerCase() === found) ? found : undefined;
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
