import type { Instance } from '../instances/instance';
import type { Recipe } from './workspaceFile';

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
