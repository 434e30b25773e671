/**
 * Thirty weeks of work of one agent, as the guard is told of them. Written by hand. A line is `week | subject | statement`. A subject that comes again
 * changes what is known. It is small: one agent, one language, short statements. The questions are in memory-questions.ts.
 */
const facts = `
1 | release day of the website | The website is released on Thursday mornings.
1 | payment service owner | Peter owns the payment service; ask him before changing it.
1 | human's style of answers | The human prefers short answers with the conclusion first.
1 | staging data | The staging database is refreshed from a masked copy every night.
2 | backup retention | Backups are kept for fourteen days in another region.
2 | rollback procedure | If a release misbehaves, revert to the previous image and purge the CDN.
2 | Maria's meeting hours | Maria dislikes meetings before ten o'clock.
2 | refund approval | Refunds above 500 euros need approval from the finance lead.
3 | customer language in Lyon | The customer in Lyon wants all documents in French.
3 | press contacts | Do not contact the press without asking the communications team.
3 | chip power draw | The H100 accelerator draws up to 700 watts.
3 | budget of the research run | The research run may cost at most 40 dollars.
4 | crawl speed | The price site bans crawlers after 200 pages; pause two seconds between fetches.
4 | flaky tests | The tests failed at random because two of them shared a temporary folder.
4 | invoice date | Invoices are generated on the first day of the month.
4 | report deadline | The quarterly report is due on the tenth day after the quarter ends.
5 | release day of the website | The website is released on Tuesday mornings.
5 | wifi for demos | The office wifi drops in the afternoon; use a cable for demos.
5 | password rotation | Passwords are rotated every ninety days through the vault.
5 | data location | Personal data of Europeans must stay on servers in Frankfurt.
6 | deletion requests | Delete a user's records within a month of their request.
6 | android crash | The app crashes on old Android phones because of the video codec.
6 | survey wish | Dark mode was the most requested feature in the survey.
6 | page speed | Half of the visitors leave when a page takes over three seconds.
7 | competitor price | Our main competitor charges 29 dollars a month.
7 | newsletter time | The newsletter works best on Thursday evening.
7 | headline style | Headlines with a number get twice as many clicks.
7 | backup retention | Backups are kept for thirty days in another region.
8 | warehouse inventory | The warehouse in Rotterdam closes for inventory in January.
8 | shipping to Norway | Shipping to Norway needs a customs form because it is outside the union.
8 | battery supplier | The supplier of batteries is late by two weeks on average.
8 | solar panel ageing | Solar panels lose about half a percent of output each year.
9 | heat pump limit | Heat pumps work down to minus twenty degrees.
9 | drug side effects | Patients with the new drug slept better but gained weight.
9 | study size | The sleep study had only forty participants, so its result is weak.
9 | invoice date | Invoices are generated on the fifteenth day of the month.
10 | coffee rule | Coffee after three in the afternoon disturbs sleep.
10 | museum entry | The museum is free on the first Sunday of every month.
10 | Madrid train | Trains between Madrid and Barcelona take two and a half hours.
10 | hotel checkout | The hotel allows late checkout until two for a small fee.
11 | allergy of grandmother | Grandmother is allergic to nuts.
11 | landlord visits | The landlord must announce a visit one day ahead.
11 | lease end | The lease ends in September and renews unless cancelled three months before.
11 | competitor price | Our main competitor lowered its price to 19 dollars a month.
12 | library licence | Lawyers said the licence permits commercial use with attribution.
12 | trademark class | The trademark is registered in class nine only.
12 | engineer interviews | Interviews with engineers take place over video, never by phone.
12 | first day of colleagues | New colleagues get a laptop and a mentor on their first day.
13 | vacation requests | Vacation requests go to the team lead two weeks in advance.
13 | conference budget | The budget for conferences is one thousand euros a person and year.
13 | logo margin | The logo must keep a margin as wide as its letter A.
13 | colour of success | Use green for success and never for warnings.
14 | screen readers | Screen readers skip images without a description.
14 | spring flood | The river floods in spring when the snow in the mountains melts.
14 | bees | Bees pollinate a third of the crops in the region.
14 | school bus | The school bus leaves twenty minutes before eight.
15 | violin lesson | Violin lessons are on Monday afternoon.
15 | car brakes | The car needs new brakes before the inspection in June.
15 | robot camera | The robot lost its way whenever sunlight hit the camera.
15 | research run budget | The research run may cost at most 60 dollars.
16 | summary feedback | The human said the summary was too long: cut everything that does not change the decision.
16 | team size | Splitting the research among three workers doubled the cost without better results.
16 | trustworthy prices | Search engines returned outdated prices; the vendor's own page was right.
16 | overload lesson | Retrying immediately made the overload worse; wait longer each time.
17 | violin lesson | Violin lessons moved to Wednesday afternoon.
17 | connection pool | Opening a database connection per request made the service slow; use a pool.
17 | coroutine freeze | Blocking calls inside a coroutine freeze every other one.
17 | conference budget | The budget for conferences is fifteen hundred euros a person and year.
18 | Anna's role | Anna became head of design in May.
18 | Tom's departure | Tom left the company for a competitor.
18 | invoice tool | Invoices are written with the tool Billwise.
18 | office address | The office is at Lindenstrasse 12 in Berlin.
19 | cleaning day | The office is cleaned on Friday evening.
19 | printer | The printer on the second floor prints in colour; the other does not.
19 | coffee machine | The coffee machine is descaled every two weeks.
19 | parking | Visitors park in the yard behind the house, not in the street.
20 | office address | The office moved to Hafenstrasse 3 in Hamburg.
20 | meeting notes | Karim takes the notes in the weekly meeting.
20 | board meeting | The board meets on the last Wednesday of each quarter.
20 | contract signature | Contracts above ten thousand euros are signed by two directors.
21 | travel class | Train journeys are booked in second class, flights only above six hours.
21 | expense receipts | Receipts are handed in within thirty days, otherwise nothing is paid.
21 | customer satisfaction | Customers complained most about slow answers of support.
21 | support hours | Support answers from eight to eighteen on working days.
22 | error budget | The service may be down for at most forty minutes a month.
22 | on call | Whoever is on call carries the red phone for one week.
22 | log retention | Logs are deleted after ninety days because of privacy.
22 | support hours | Support answers from seven to twenty, also on Saturday.
23 | password manager | Shared passwords are kept in the vault, never in chat.
23 | code review | Every change is reviewed by somebody else before it is merged.
23 | test coverage | Coverage is measured but is not a goal; broken tests are.
23 | naming of branches | Branches are named after the ticket number.
24 | database choice | We chose Postgres because the team knows it and backups are simple.
24 | queue choice | We decided against a message queue until there are two services that need it.
24 | mobile framework | The mobile app is written in Flutter after the trial with native code took too long.
24 | language of comments | Comments in code are in English, also for German customers.
25 | Maria's team | Maria leads the marketing team since April.
25 | Peter's holiday | Peter is on holiday for the first two weeks of August.
25 | customer in Oslo | The customer in Oslo pays within ten days and gets two percent off.
25 | customer in Madrid | The customer in Madrid pays late; ask for half in advance.
26 | payment service owner | Lena owns the payment service since Peter changed teams.
26 | hosting provider | The servers run at Hetzner in Falkenstein.
26 | domain renewal | The domain is renewed every March by the bookkeeper.
26 | certificate | The certificate renews by itself; the last one failed because port 80 was closed.
27 | hosting provider | The servers moved to Scaleway in Paris.
27 | monitoring | Alerts go to the channel ops, pages only for customers' outages.
27 | status page | The status page is updated within ten minutes of an outage.
27 | search index | The search index is rebuilt on Sunday night and takes four hours.
28 | pricing decision | We keep one price for all countries because comparison sites punished differences.
28 | trial length | The free trial lasts fourteen days.
28 | churn reason | Most customers leave because a key person changes jobs.
28 | best channel | Most new customers come through recommendations, not through advertising.
29 | trial length | The free trial was extended to thirty days.
29 | photo rights | Photos of employees are published only with their written consent.
29 | gift limit | Gifts from suppliers above fifty euros are refused.
29 | recycling | Old laptops are wiped and given to the school next door.
30 | human's working hours | The human does not want to be asked anything after six in the evening.
30 | preferred chart | The human wants bar charts, never pie charts.
30 | spelling | The human writes British English.
30 | file format | Reports are delivered as PDF, data as CSV.
`;

export interface Week {
  week: number;
  subject: string;
  text: string;
}

export const rows = (text: string): string[][] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));

export const weeks: readonly Week[] = rows(facts).map(([week, subject, text]) => ({
  week: Number(week),
  subject: subject!,
  text: text!,
}));
