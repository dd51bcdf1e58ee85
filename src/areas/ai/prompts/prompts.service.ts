import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { toListRequest } from '#libs/resource/list-query.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Page } from '#libs/resource/resource.repository.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import { currentScope } from '#libs/tenancy/scope.js';
import type { CreatePrompt, PromptLabel, PromptVersionView, PromptView } from './prompt.dto.js';
import type { Prompt } from './prompt.entity.js';
import { type PromptAction, promptResource } from './prompt.resource.js';
import type { PromptVersion } from './prompt-version.entity.js';
import { promptVersionList, PromptVersionsRepository } from './prompt-versions.repository.js';
import { PromptsRepository } from './prompts.repository.js';
import { templateViolations, variablesIn } from './template.js';

type Input = Record<string, unknown>;

/** Texts for jobs. Every other text is a new version; labels move between versions. */
@Injectable()
export class PromptsService extends ResourceService<Prompt, PromptView, PromptAction> {
  protected override readonly constraints = {
    ai_prompts_key_key: () => new Problem('duplicate', 'There is a prompt with this key already.'),
    ai_prompts_used_check: () => new Problem('in_use', 'Jobs were made with this prompt; archive it instead.'),
  };

  constructor(
    kit: ResourceKit,
    repository: PromptsRepository,
    private readonly versions: PromptVersionsRepository,
  ) {
    super(promptResource, kit, repository);
  }

  /** The versions of a prompt. @throws Problem 404. */
  async listVersions(id: string, query: Input): Promise<Page<PromptVersionView>> {
    const prompt = await this.read(id);
    const { data, page } = await this.versions.pageOfPrompt(id, toListRequest(promptVersionList, query));
    return { data: await this.shown(prompt, data), page };
  }

  /** One version of a prompt. @throws Problem 404. */
  async getVersion(id: string, n: string): Promise<PromptVersionView> {
    const prompt = await this.read(id);
    const version = /^[1-9]\d{0,8}$/.test(n) ? await this.versions.findOfPrompt(id, Number(n)) : null;
    if (!version) throw Problem.notFound();
    const [view] = await this.shown(prompt, [version]);
    return view!;
  }

  protected override draft(input: Input): Promise<Draft<Prompt>> {
    const { template, labels = [] } = input as unknown as CreatePrompt; // validated against it
    refuse([...templateViolations(template, '/template'), ...labelViolations(labels, 1)]);
    const columns = { ...input, variables: variablesIn(template) };
    return Promise.resolve(columns as unknown as Draft<Prompt>); // its other members are columns too
  }

  protected override edit(row: Prompt, body: Input): Partial<Prompt> {
    const { template = row.template, ...patch } = body as Partial<CreatePrompt>;
    const isNew = template !== row.template;
    // A note belongs to the version that it was written for, and versions never change.
    const { commitNote = null } = patch;
    const newest = isNew ? row.promptVersion + 1 : row.promptVersion;
    refuse([
      ...templateViolations(template, '/template'),
      ...labelViolations(patch.labels ?? [], newest),
      ...(!isNew && 'commitNote' in patch && commitNote !== row.commitNote ? [noteWithoutText()] : []),
    ]);
    if (!isNew) return patch;
    return { ...patch, template, commitNote, variables: variablesIn(template), promptVersion: newest };
  }

  protected override add(transaction: Transaction, row: Prompt): PromptView {
    const shown = super.add(transaction, row);
    transaction.write(this.versions.insert(this.versionOf(row)));
    return shown;
  }

  protected override apply(
    transaction: Transaction,
    row: Prompt,
    changes: Partial<Prompt>,
    ...rest: [event: string, why?: object]
  ): PromptView {
    const after = { ...row, ...changes };
    // First: the row of the prompt needs its version.
    if (after.promptVersion !== row.promptVersion) transaction.write(this.versions.insert(this.versionOf(after)));
    return super.apply(transaction, row, changes, ...rest);
  }

  private versionOf(row: Prompt): PromptVersion {
    const { tenantId, id: promptId, promptVersion, template, variables, commitNote } = row;
    const own = { promptVersion, template, variables, commitNote };
    return { tenantId, id: uuidv7(), promptId, ...own, createdAt: this.now(), createdBy: currentScope().actor };
  }

  private async shown({ id, labels }: Prompt, versions: readonly PromptVersion[]): Promise<PromptVersionView[]> {
    const uses = await this.versions.uses(
      id,
      versions.map((each) => each.promptVersion),
    );
    return versions.map(({ tenantId: _, ...view }) => ({
      ...view,
      labels: labels.filter((each) => each.promptVersion === view.promptVersion).map(({ label }) => label),
      jobs: uses.get(view.promptVersion) ?? 0,
    }));
  }
}

function refuse(violations: Violation[]): void {
  if (violations.length > 0) throw Problem.validation(violations);
}

function labelViolations(labels: readonly PromptLabel[], newest: number): Violation[] {
  const seen = new Set<string>();
  return labels.flatMap(({ label, promptVersion }, index) => {
    const isTwice = seen.has(label);
    seen.add(label);
    return [
      ...(isTwice
        ? [{ pointer: `/labels/${index}/label`, code: 'not_unique', detail: 'A label stands on one version.' }]
        : []),
      ...(promptVersion > newest
        ? [
            {
              pointer: `/labels/${index}/promptVersion`,
              code: 'unknown_reference',
              detail: `The newest version is ${newest}.`,
            },
          ]
        : []),
    ];
  });
}

function noteWithoutText(): Violation {
  return {
    pointer: '/commitNote',
    code: 'not_with_this_change',
    detail: 'A note is about a new version; it comes with another template.',
  };
}
