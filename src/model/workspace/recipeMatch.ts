import type { Instance } from '../instances/instance';
import type { Recipe } from './workspaceFile';

interface RentedFor {
  readonly workspace?: string;
  readonly machine?: string;
}

/** True for a rental that was made for this machine of the file of this workspace. */
export function isRentedFor(
  rental: RentedFor | undefined,
  workspace: string,
  { machine }: Pick<Recipe, 'machine'>,
): boolean {
  return rental?.workspace === workspace && rental.machine === machine;
}

/** True for a machine that was made by this recipe: from its template, or from its image. */
export function matchesRecipe(
  instance: Pick<Instance, 'templateId' | 'image'>,
  recipe: Pick<Recipe, 'template' | 'image'>,
): boolean {
  if (recipe.template) {
    return instance.templateId === recipe.template.id;
  }
  return (
    instance.image !== undefined &&
    recipe.image !== undefined &&
    withTag(instance.image) === withTag(recipe.image)
  );
}

function withTag(image: string): string {
  const last = image.slice(image.lastIndexOf('/') + 1);
  return last.includes(':') || last.includes('@') ? image : `${image}:latest`;
}
