/**
 * Thirty weeks of work of one agent, as the guard is told of them, and questions about them. Written by hand, before any of it was measured; the
 * types of questions are those of LongMemEval and LoCoMo (one fact, a preference, a change, when, who, nothing to know), the content is our own.
 *
 * A line is `week | subject | statement | question`. A subject that comes again changes what is known; the question is asked at the end and means what
 * holds then. Questions say what one would ask who has forgotten the words. It is small: one agent, one language, short statements.
 */
const facts = `
1 | release day of the website | The website is released on Thursday mornings. |
1 | payment service owner | Peter owns the payment service; ask him before changing it. | Who is responsible for the checkout backend?
1 | human's style of answers | The human prefers short answers with the conclusion first. | How should replies to my boss be written?
1 | staging data | The staging database is refreshed from a masked copy every night. | Where does the test data come from?
2 | backup retention | Backups are kept for fourteen days in another region. |
2 | rollback procedure | If a release misbehaves, revert to the previous image and purge the CDN. | How do I undo a bad rollout?
2 | Maria's meeting hours | Maria dislikes meetings before ten o'clock. | What time is too early for a call with Maria?
2 | refund approval | Refunds above 500 euros need approval from the finance lead. | Who must agree before we give a large amount of money back?
3 | customer language in Lyon | The customer in Lyon wants all documents in French. | Which language does the client in Lyon expect?
3 | press contacts | Do not contact the press without asking the communications team. | Am I allowed to talk to journalists?
3 | chip power draw | The H100 accelerator draws up to 700 watts. | How much electricity does the graphics accelerator consume?
3 | budget of the research run | The research run may cost at most 40 dollars. |
4 | crawl speed | The price site bans crawlers after 200 pages; pause two seconds between fetches. | How quickly may we scrape that site?
4 | flaky tests | The tests failed at random because two of them shared a temporary folder. | What was the cause of the flaky test suite?
4 | invoice date | Invoices are generated on the first day of the month. |
4 | report deadline | The quarterly report is due on the tenth day after the quarter ends. | What is the deadline for the financial summary?
5 | release day of the website | The website is released on Tuesday mornings. | On which day does the website go live now?
5 | wifi for demos | The office wifi drops in the afternoon; use a cable for demos. | How can I avoid network trouble during a presentation?
5 | password rotation | Passwords are rotated every ninety days through the vault. | How often do credentials have to be changed?
5 | data location | Personal data of Europeans must stay on servers in Frankfurt. | Where may we store information about EU citizens?
6 | deletion requests | Delete a user's records within a month of their request. | What happens when somebody wants to be forgotten?
6 | android crash | The app crashes on old Android phones because of the video codec. | Why does the program stop working on outdated phones?
6 | survey wish | Dark mode was the most requested feature in the survey. | What do people in the survey wish for most?
6 | page speed | Half of the visitors leave when a page takes over three seconds. | What effect does slow loading have on visitors?
7 | competitor price | Our main competitor charges 29 dollars a month. |
7 | newsletter time | The newsletter works best on Thursday evening. | When should we mail our subscribers?
7 | headline style | Headlines with a number get twice as many clicks. | How do I make titles more attractive?
7 | backup retention | Backups are kept for thirty days in another region. | For how long can lost files be restored from a backup?
8 | warehouse inventory | The warehouse in Rotterdam closes for inventory in January. | When is the Rotterdam storage site shut?
8 | shipping to Norway | Shipping to Norway needs a customs form because it is outside the union. | What paperwork is required for parcels to Norway?
8 | battery supplier | The supplier of batteries is late by two weeks on average. | Which vendor delivers behind schedule?
8 | solar panel ageing | Solar panels lose about half a percent of output each year. | How fast does photovoltaic equipment degrade?
9 | heat pump limit | Heat pumps work down to minus twenty degrees. | Can heat pumps be used in a very cold winter?
9 | drug side effects | Patients with the new drug slept better but gained weight. | What side effects did the medication have?
9 | study size | The sleep study had only forty participants, so its result is weak. | Why should we not trust the sleep research much?
9 | invoice date | Invoices are generated on the fifteenth day of the month. | On which day of the month are customers billed?
10 | coffee rule | Coffee after three in the afternoon disturbs sleep. | Until when can I drink caffeine?
10 | museum entry | The museum is free on the first Sunday of every month. | When can we visit the museum without paying?
10 | Madrid train | Trains between Madrid and Barcelona take two and a half hours. | How long is the rail journey from Madrid to Barcelona?
10 | hotel checkout | The hotel allows late checkout until two for a small fee. | Can I leave the hotel room a bit later?
11 | allergy of grandmother | Grandmother is allergic to nuts. | What food must the cake for grandmother not contain?
11 | landlord visits | The landlord must announce a visit one day ahead. | How early does the owner of the flat have to tell us before coming?
11 | lease end | The lease ends in September and renews unless cancelled three months before. | By when do we have to terminate the rental contract?
11 | competitor price | Our main competitor lowered its price to 19 dollars a month. | How much does the rival product cost now?
12 | library licence | Lawyers said the licence permits commercial use with attribution. | May we sell something built on that library?
12 | trademark class | The trademark is registered in class nine only. | Which class of goods is our brand protected for?
12 | engineer interviews | Interviews with engineers take place over video, never by phone. | How do we talk to technical applicants?
12 | first day of colleagues | New colleagues get a laptop and a mentor on their first day. | What does a new colleague receive when joining?
13 | vacation requests | Vacation requests go to the team lead two weeks in advance. | How do I ask for time off?
13 | conference budget | The budget for conferences is one thousand euros a person and year. |
13 | logo margin | The logo must keep a margin as wide as its letter A. | How much empty space should surround our logo?
13 | colour of success | Use green for success and never for warnings. | Which colour signals that everything went well?
14 | screen readers | Screen readers skip images without a description. | Why do blind visitors miss the pictures?
14 | spring flood | The river floods in spring when the snow in the mountains melts. | What causes the high water of the river?
14 | bees | Bees pollinate a third of the crops in the region. | Why do insects matter to farmers here?
14 | school bus | The school bus leaves twenty minutes before eight. |
15 | violin lesson | Violin lessons are on Monday afternoon. |
15 | car brakes | The car needs new brakes before the inspection in June. | What has to be repaired on the car?
15 | robot camera | The robot lost its way whenever sunlight hit the camera. | In which situation did the robot's navigation fail?
15 | research run budget | The research run may cost at most 60 dollars. |
16 | summary feedback | The human said the summary was too long: cut everything that does not change the decision. | What feedback did I get about the summary?
16 | team size | Splitting the research among three workers doubled the cost without better results. | Was it worth using a larger team for the research?
16 | trustworthy prices | Search engines returned outdated prices; the vendor's own page was right. | Where did I find trustworthy prices?
16 | overload lesson | Retrying immediately made the overload worse; wait longer each time. | What did we learn about repeating failed requests?
17 | violin lesson | Violin lessons moved to Wednesday afternoon. | On what day is the violin class now?
17 | connection pool | Opening a database connection per request made the service slow; use a pool. | What improved the latency of database access?
17 | coroutine freeze | Blocking calls inside a coroutine freeze every other one. | Why did all concurrent operations hang at once?
17 | conference budget | The budget for conferences is fifteen hundred euros a person and year. | How much may an employee spend on conferences?
18 | Anna's role | Anna became head of design in May. | Who leads the designers?
18 | Tom's departure | Tom left the company for a competitor. | What happened to Tom?
18 | invoice tool | Invoices are written with the tool Billwise. | Which software writes our invoices?
18 | office address | The office is at Lindenstrasse 12 in Berlin. |
19 | cleaning day | The office is cleaned on Friday evening. | When do the cleaners come to the office?
19 | printer | The printer on the second floor prints in colour; the other does not. | Which printer can do colour?
19 | coffee machine | The coffee machine is descaled every two weeks. | How often is the coffee machine descaled?
19 | parking | Visitors park in the yard behind the house, not in the street. | Where can guests leave their car?
20 | office address | The office moved to Hafenstrasse 3 in Hamburg. | Where is our office located now?
20 | meeting notes | Karim takes the notes in the weekly meeting. | Who writes the minutes of the weekly meeting?
20 | board meeting | The board meets on the last Wednesday of each quarter. | When does the board come together?
20 | contract signature | Contracts above ten thousand euros are signed by two directors. | Who must sign a large contract?
21 | travel class | Train journeys are booked in second class, flights only above six hours. | Which class may I book on the train?
21 | expense receipts | Receipts are handed in within thirty days, otherwise nothing is paid. | How long do I have to submit receipts?
21 | customer satisfaction | Customers complained most about slow answers of support. | What were customers most unhappy about?
21 | support hours | Support answers from eight to eighteen on working days. |
22 | error budget | The service may be down for at most forty minutes a month. | How much downtime per month is allowed?
22 | on call | Whoever is on call carries the red phone for one week. | For how long does one person stay on call?
22 | log retention | Logs are deleted after ninety days because of privacy. | When are logs removed?
22 | support hours | Support answers from seven to twenty, also on Saturday. | At what hours does support answer now?
23 | password manager | Shared passwords are kept in the vault, never in chat. | Where do shared passwords belong?
23 | code review | Every change is reviewed by somebody else before it is merged. | What must happen before a change is merged?
23 | test coverage | Coverage is measured but is not a goal; broken tests are. | Do we have a target for test coverage?
23 | naming of branches | Branches are named after the ticket number. | How are branches called?
24 | database choice | We chose Postgres because the team knows it and backups are simple. | Why did we decide for Postgres?
24 | queue choice | We decided against a message queue until there are two services that need it. | Why is there no message queue?
24 | mobile framework | The mobile app is written in Flutter after the trial with native code took too long. | What is the mobile app built with, and why?
24 | language of comments | Comments in code are in English, also for German customers. | In which language do we comment code?
25 | Maria's team | Maria leads the marketing team since April. | Which team does Maria lead?
25 | Peter's holiday | Peter is on holiday for the first two weeks of August. | When is Peter away?
25 | customer in Oslo | The customer in Oslo pays within ten days and gets two percent off. | What discount does the client in Oslo get?
25 | customer in Madrid | The customer in Madrid pays late; ask for half in advance. | How should we deal with the Madrid customer's payments?
26 | payment service owner | Lena owns the payment service since Peter changed teams. | Who owns the payment service now?
26 | hosting provider | The servers run at Hetzner in Falkenstein. |
26 | domain renewal | The domain is renewed every March by the bookkeeper. | Who renews our domain and when?
26 | certificate | The certificate renews by itself; the last one failed because port 80 was closed. | Why did the certificate renewal fail?
27 | hosting provider | The servers moved to Scaleway in Paris. | Where do our servers run now?
27 | monitoring | Alerts go to the channel ops, pages only for customers' outages. | Where do alerts arrive?
27 | status page | The status page is updated within ten minutes of an outage. | How fast must the status page be updated?
27 | search index | The search index is rebuilt on Sunday night and takes four hours. | How long does rebuilding the search index take?
28 | pricing decision | We keep one price for all countries because comparison sites punished differences. | Why is our price the same in every country?
28 | trial length | The free trial lasts fourteen days. |
28 | churn reason | Most customers leave because a key person changes jobs. | Why do most customers leave us?
28 | best channel | Most new customers come through recommendations, not through advertising. | How do most new customers find us?
29 | trial length | The free trial was extended to thirty days. | How long can one try the product for free?
29 | photo rights | Photos of employees are published only with their written consent. | What do we need before publishing a photo of an employee?
29 | gift limit | Gifts from suppliers above fifty euros are refused. | Which gifts from suppliers may be accepted?
29 | recycling | Old laptops are wiped and given to the school next door. | What happens to old laptops?
30 | human's working hours | The human does not want to be asked anything after six in the evening. | When may the human not be disturbed?
30 | preferred chart | The human wants bar charts, never pie charts. | Which kind of chart does the human want?
30 | spelling | The human writes British English. | Which spelling should texts have?
30 | file format | Reports are delivered as PDF, data as CSV. | In which format are reports delivered?
`;

/** About the same statements: when something was learned or changed, and from whom. The note says it in its head. */
const others = `
when | release day of the website | Since when is the website released on another day?
when | competitor price | When did the rival change its price?
when | violin lesson | When did the day of the violin lesson change?
when | office address | When did the office move?
when | support hours | Since when does support answer also on Saturday?
when | hosting provider | When did the servers move?
when | trial length | When was the free trial extended?
when | payment service owner | Since when does somebody else own the payment service?
when | backup retention | When was the time that backups are kept changed?
when | database choice | When did we choose Postgres?
before | release day of the website | On which day was the website released earlier?
before | office address | Where was the office before it moved?
before | competitor price | What did the competitor charge before?
before | hosting provider | Where did the servers run before Paris?
before | support hours | What were the support hours earlier?
before | payment service owner | Who owned the payment service before Lena?
who | summary feedback | Who complained that the summary was too long?
who | library licence | Who said that the licence permits commercial use?
who | meeting notes | Whose task are the notes of the weekly meeting?
who | domain renewal | Who takes care of the domain?
who | Anna's role | Which colleague is responsible for design?
who | Tom's departure | Which colleague went to a competitor?
who | customer in Madrid | Which client has to pay half in advance?
who | battery supplier | Whose deliveries are usually late?
when | team size | When did we find out what a larger team costs?
when | mobile framework | When was the mobile app moved to Flutter?
when | pricing decision | When did we decide on one price for all countries?
when | Peter's holiday | When did I learn that Peter will be on holiday?
`;

/** Nothing is known about these. */
export const unknown: readonly string[] = [
  "What is the birthday of the chairman?",
  "How many bicycles are in the cellar?",
  "Which wine was served at the wedding?",
  "What is the melting point of tungsten?",
  "Who won the football match on Saturday?",
  "What is the name of the neighbour's dog?",
  "How tall is the tower in the park?",
  "Which song was played at the opening?",
  "What did the dentist recommend?",
  "How much does a ticket to the opera cost?",
  "Which planet has the most moons?",
  "What is the shoe size of the trainer?",
  "How deep is the lake behind the village?",
  "Which actor plays the detective?",
  "How many pages has the novel?",
  "What is the recipe for the lentil soup?",
];

export interface Week {
  week: number;
  subject: string;
  text: string;
}

export interface Question {
  type: "fact" | "change" | "when" | "before" | "who" | "unknown";
  subject: string;
  question: string;
}

const rows = (text: string): string[][] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));

export const weeks: readonly Week[] = rows(facts).map(([week, subject, text]) => ({
  week: Number(week),
  subject: subject!,
  text: text!,
}));

export const questions: readonly Question[] = [
  ...rows(facts).flatMap(([, subject, , question]): Question[] => {
    if (!question) return [];
    const isChange = weeks.filter((one) => one.subject === subject).length > 1;
    return [{ type: isChange ? "change" : "fact", subject: subject!, question }];
  }),
  ...rows(others).map(([type, subject, question]) => ({ type, subject, question }) as Question),
  ...unknown.map((question): Question => ({ type: "unknown", subject: "", question })),
];
