/**
 * Forty conversations with three facts each: a promise, a decision and a number, as people and agents say them in passing; with words that somebody
 * who has forgotten it would search for, and what must be found. Not every wording is one that core/message/statement.ts knows.
 */
export interface Fact {
  by: "human" | "coordinator";
  said: string;
  /** What one would search for. */
  query: string;
  must: string;
}

const row = (
  subject: string,
  ...facts: [Fact["by"], string, string, string][]
): { subject: string; facts: Fact[] } => ({
  subject,
  facts: facts.map(([by, said, query, must]) => ({ by, said, query, must })),
});
const [h, c] = ["human", "coordinator"] as const;

// biome-ignore format: a table
export const conversations = [
  row("a flat", [c, "I will call the landlord on Monday about the deposit.", "landlord deposit", "Monday"], [h, "We agreed on the flat in Elm Street.", "which flat", "Elm Street"], [h, "The rent is 1,340 euros a month.", "rent per month", "1,340"]),
  row("an invoice", [h, "The invoice from Corvin is due on 14 March.", "Corvin invoice due", "14 March"], [h, "Do not pay Corvin before legal has signed.", "paying Corvin condition", "legal has signed"], [c, "The total came to 8,912.40 dollars.", "invoice total", "8,912.40"]),
  row("a release", [c, "I'll tag the release candidate tonight.", "release candidate tag", "tonight"], [h, "Let us go with semantic versions.", "version scheme", "semantic"], [c, "The test suite has 2,871 tests.", "how many tests", "2,871"]),
  row("a wedding", [c, "I promise to send the menu to your aunt.", "menu aunt", "send the menu"], [h, "No peanuts in anything, Tom is allergic.", "Tom allergic", "peanuts"], [h, "There are 86 guests.", "guests number", "86"]),
  row("a trip", [c, "I will check the visa rules for Georgia.", "visa rules", "Georgia"], [h, "We fly from Basel, never from Zurich.", "airport fly from", "Basel"], [h, "The budget is 2,200 francs for both.", "trip budget", "2,200"]),
  row("a server", [c, "I'll rotate the backup key by Friday.", "backup key rotate", "Friday"], [h, "We decided to stay on Postgres 16.", "database version decision", "Postgres 16"], [c, "The disk holds 740 gigabytes.", "disk size", "740"]),
  row("a book", [c, "I will rewrite chapter nine without the flashback.", "chapter nine", "flashback"], [h, "The narrator must remain unnamed.", "narrator name", "unnamed"], [h, "Chapter four has 6,150 words.", "chapter four length", "6,150"]),
  row("a garden", [h, "Remind me to prune the pear tree in February.", "pear tree prune", "February"], [h, "I prefer gravel instead of bark on the paths.", "paths material", "gravel"], [c, "The bed needs 35 litres of compost.", "compost amount", "35 litres"]),
  row("a hire", [c, "I will write to Ines before Thursday.", "write to Ines", "Thursday"], [h, "We rejected the second candidate.", "second candidate outcome", "rejected"], [h, "The salary band ends at 91,000.", "salary band", "91,000"]),
  row("a lease", [h, "The car goes back no later than 3 June.", "car return date", "3 June"], [h, "Only the diesel model is acceptable.", "which model acceptable", "diesel"], [c, "The mileage limit is 15,000 kilometres.", "mileage limit", "15,000"]),
  row("a grant", [c, "I'll prepare the budget table for the grant.", "grant budget table", "prepare the budget table"], [h, "We apply together with Uppsala.", "partner of application", "Uppsala"], [h, "The ceiling is 250,000 kronor.", "grant ceiling", "250,000"]),
  row("a clinic", [c, "I will ask the clinic for the March slots.", "clinic slots", "March"], [h, "Never book appointments before nine.", "appointments time", "before nine"], [c, "The waiting list has 47 people.", "waiting list people", "47"]),
  row("a newsletter", [c, "I'll have the draft with you by noon.", "newsletter draft when", "noon"], [h, "Always close with the unsubscribe line.", "close of the letter", "unsubscribe"], [c, "Open rate was 38.4 percent.", "open rate", "38.4"]),
  row("a kitchen", [h, "The plumber comes on the ninth of May.", "plumber when", "ninth of May"], [h, "Worktop will be oak, that's settled.", "worktop material", "oak"], [c, "The alcove measures 187 centimetres.", "alcove measure", "187"]),
  row("a league", [c, "I shall publish the fixtures on Sunday.", "fixtures publish", "Sunday"], [h, "Ties are decided by goals away.", "ties decided how", "goals away"], [h, "Entry costs 55 pounds a team.", "entry cost team", "55"]),
  row("a merger", [c, "We will keep the Turin office open until autumn.", "Turin office", "autumn"], [h, "The board approved the share swap.", "board share swap", "approved"], [h, "The ratio is 1.72 to one.", "swap ratio", "1.72"]),
  row("a thesis", [c, "I will find the 1974 paper by Moravec.", "Moravec paper", "1974"], [h, "Citations follow the Chicago style only.", "citation style", "Chicago"], [h, "The limit is 80 pages with figures.", "page limit", "80"]),
  row("a bakery", [c, "I'll order rye flour from the Halden mill.", "rye flour order", "Halden"], [h, "From now on we sell no white rolls.", "white rolls", "no white rolls"], [c, "We sold 412 loaves on Saturday.", "loaves sold", "412"]),
  row("a museum", [c, "I am going to ask Lund for the loan papers.", "loan papers", "Lund"], [h, "The amber room stays closed to groups.", "amber room groups", "closed"], [h, "Insurance covers 3.2 million.", "insurance cover", "3.2 million"]),
  row("a podcast", [c, "I will cut the interview to its best part.", "interview cut", "cut the interview"], [h, "We don't use stock music.", "stock music", "don't use"], [c, "Episode 61 had 9,402 listeners.", "listeners of episode", "9,402"]),
  row("an audit", [h, "The auditors need the ledger by the end of April.", "ledger auditors", "end of April"], [h, "Receipts below ten euros must be kept too.", "small receipts", "must be kept"], [c, "There are 219 unmatched entries.", "unmatched entries", "219"]),
  row("a boat", [c, "I'll ask the yard about the winter berth.", "winter berth yard", "winter berth"], [h, "She will be called Petrel, final decision.", "name of the boat", "Petrel"], [h, "Draught is 1.85 metres.", "draught", "1.85"]),
  row("a film", [c, "I will deliver the shot list on Wednesday.", "shot list", "Wednesday"], [h, "We chose the lighthouse over the pier.", "lighthouse pier", "lighthouse"], [h, "Each day costs 4,700.", "cost per day", "4,700"]),
  row("a farm", [c, "I'll follow up with the vet about lot seven.", "vet lot", "lot seven"], [h, "Never spray near the beehives.", "beehives spray", "Never spray"], [c, "Yield was 6.1 tonnes.", "yield", "6.1"]),
  row("a choir", [c, "I will copy the Fauré parts for the altos.", "Fauré parts", "altos"], [h, "Rehearsals move to Tuesday, agreed by all.", "rehearsals day", "Tuesday"], [h, "The hall seats 340.", "hall seats", "340"]),
  row("an app", [c, "I'll remove the old login before the launch.", "old login", "before the launch"], [h, "We support only the last two systems.", "systems supported", "last two"], [c, "Start takes 820 milliseconds.", "start time", "820"]),
  row("a school", [c, "I will send the parents the bus times.", "bus times parents", "bus times"], [h, "Phones stay off, the staff decided.", "phones staff", "off"], [h, "Class 5b has 27 children.", "children in class", "27"]),
  row("a court", [h, "The appeal must be filed by 30 September.", "appeal filed", "30 September"], [h, "We agreed not to mention the brother.", "not mention", "brother"], [c, "The file has 1,118 pages.", "file pages", "1,118"]),
  row("a shop", [c, "We'll refund Mrs Okafor this week.", "Okafor refund", "this week"], [h, "Prefer the small supplier in Ghent.", "supplier preference", "Ghent"], [c, "Stock is down to 13 units.", "stock units", "13"]),
  row("a lab", [c, "I will repeat the assay with fresh buffer.", "assay repeat", "fresh buffer"], [h, "Samples never leave the cold room.", "samples cold room", "never leave"], [c, "The pH was 7.38.", "pH value", "7.38"]),
  row("a theatre", [c, "I'll write the programme note myself.", "programme note", "write the programme note"], [h, "The interval comes after act two.", "interval when", "act two"], [h, "Tickets are 24 and 31 euros.", "ticket prices", "24 and 31"]),
  row("a union", [c, "I promised Karim the minutes.", "minutes for Karim", "promised Karim"], [h, "We voted to reject the offer.", "vote on offer", "reject"], [h, "The offer was 2.8 percent.", "offer percent", "2.8"]),
  row("a library", [c, "I will relabel the maps by shelf.", "maps relabel", "by shelf"], [h, "Fines are abolished from now on.", "fines", "abolished"], [c, "We lent 5,034 volumes.", "volumes lent", "5,034"]),
  row("a race", [h, "Registration closes on 2 August.", "registration closes", "2 August"], [h, "Only the northern loop is used.", "loop of the race", "northern"], [c, "The climb is 1,460 metres.", "climb", "1,460"]),
  row("a clock", [c, "I'll return the escapement to Basel.", "escapement return", "Basel"], [h, "Keep to the original varnish.", "varnish", "original"], [c, "It gains 11 seconds a day.", "seconds a day", "11"]),
  row("a network", [c, "I will replace the switch in rack four.", "switch rack", "rack four"], [h, "Guests must use their own segment.", "guests segment", "own segment"], [c, "Latency fell to 14 milliseconds.", "latency", "14"]),
  row("a campaign", [c, "I'll ask Noor for the poster rights.", "poster rights", "Noor"], [h, "We do not name competitors.", "competitors", "do not name"], [h, "Reach was 118,000 people.", "reach people", "118,000"]),
  row("a roof", [h, "The scaffold is up until 20 October.", "scaffold until", "20 October"], [h, "We go with slate instead of tile.", "slate tile", "slate"], [c, "The area is 164 square metres.", "roof area", "164"]),
  row("a dataset", [c, "I will drop the rows from Lima.", "rows dropped", "Lima"], [h, "Missing values must stay empty.", "missing values", "stay empty"], [c, "There are 52,806 rows left.", "rows left", "52,806"]),
  row("a dog", [c, "I'll remind you of the booster in May.", "booster reminder", "May"], [h, "No chicken in her food, ever.", "food without", "chicken"], [h, "She weighs 18.6 kilos.", "weight of the dog", "18.6"]),
] as const;
