import { Injectable } from '@nestjs/common';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { notWith, Problem, type Violation } from '#libs/kernel/problem.js';
import type { Change, Decisions, Input } from '#libs/resource/types/decisions.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { versionOfPath } from '../version-number.js';
import { type Prompt, type PromptAction, type PromptLabel, prompts, type ShownPrompt } from './prompt.js';
import type { PromptVersion } from './prompt-version.entity.js';
import type { PromptVersionView } from './prompt-version.js';
import { promptVersionList, PromptVersionsRepository } from './prompt-versions.repository.js';
import { templateViolations, variablesIn } from './template.js';

/** Prompt texts for jobs. Each change of the text creates a version; labels move between versions. */
@Injectable()
export class PromptsService implements Decisions<Prompt, ShownPrompt, PromptAction> {
  readonly constraints = {
    ai_prompts_key_key: () => new Problem('duplicate', 'There is a prompt with this key already.'),
    ai_prompts_used_check: () => new Problem('in_use', 'Jobs were made with this prompt; archive it instead.'),
  };
  readonly records: Records<Prompt, ShownPrompt, PromptAction>;

  constructor(
    kit: ResourceKit,
    private readonly versions: PromptVersionsRepository,
  ) {
    this.records = Records.of(prompts, kit, this);
  }

  /** The versions of a prompt. @throws Problem 404. */
  async listVersions(id: string, query: Input): Promise<Page<PromptVersionView>> {
    const prompt = await this.records.read(id);
    const { data, page } = await this.versions.pageOfPrompt(id, toListRequest(promptVersionList, query));
    return { data: await this.shown(prompt, data), page };
  }

  /** One version of a prompt. @throws Problem 404. */
  async getVersion(id: string, n: string): Promise<PromptVersionView> {
    const prompt = await this.records.read(id);
    const number = versionOfPath(n);
    const version = number === null ? null : await this.versions.findOfPrompt(id, number);
    if (!version) throw Problem.notFound();
    const [view] = await this.shown(prompt, [version]);
    return view!;
  }

  draft(input: Input): Draft<Prompt> {
    const { template, labels = [] } = input as Pick<Prompt, 'template'> & Partial<Prompt>; // validated
    refuse([...templateViolations(template, '/template'), ...labelViolations(labels, 1)]);
    return { ...input, variables: variablesIn(template) } as unknown as Draft<Prompt>; // the other members are columns too
  }

  edit(row: Prompt, { template = row.template, ...patch }: Partial<Prompt>): Partial<Prompt> {
    const isNew = template !== row.template;
    // A note belongs to the version for which it was written, and versions never change.
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

  /** A prompt refers to its newest version, which must be stored first. */
  checks(after: Prompt, before: Prompt | null): Statement[] {
    return before && after.promptVersion !== before.promptVersion ? [this.insertVersion(after)] : [];
  }

  /** The first version refers to the prompt, which must be stored first. */
  saved(transaction: Transaction, { before, after }: Change<Prompt>): void {
    if (!before) transaction.write(this.insertVersion(after));
  }

  private insertVersion({ tenantId, id: promptId, ...row }: Prompt): Statement {
    const { promptVersion, template, variables, commitNote } = row;
    const version: PromptVersion = {
      tenantId,
      id: uuidv7(),
      promptId,
      promptVersion,
      template,
      variables,
      commitNote,
      createdAt: this.records.rows.now(),
      createdBy: currentScope().actor,
    };
    return this.versions.insert(version);
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
    ...notWith('this_change', 'A note is about a new version; it comes with another template.'),
  };
}
